#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/quoted.h"
#include "tests/unit/suites.h"

/* Rows are written with ' for " to stay readable; what comes behind TOP is on line 2. */
#define TOP     "{'interfaces':['eth0'],'tftp':{'root':'/t'},\n"
#define DEFAULT "'profiles':{'default':{'7':'a'}},\n"

static const struct {
    const char *json;
    const char *faults;
} rows[] = {
    /* the text */
    {"", "1:1: : there is nothing in this file"},
    {"// only\n/* comments */\n", "1:1: : there is nothing in this file"},
    {"[]", "1:1: : the configuration must be one object { ... }, not a list"},
    {"7", "1:1: : the configuration must be one object { ... }"},
    {"# c\n{}", "1:1: : this is no JSON; a comment begins with //"},
    {"{'a':1\n 'b':2}", "2:2: : a comma or \"}\" is missing before this"},
    {"{'a':[1\n 2]}", "2:2: : a comma or \"]\" is missing before this"},
    {"{'a' 1}", "1:6: : a colon is missing between the key and this"},
    {"{'a':1,\n}", "2:1: : the comma before this is one too many"},
    {"{'a':[1,\n]}", "2:1: : the comma before this is one too many"},
    {"{'a':1,,}", "1:8: : the comma before this is one too many"},
    {"{'a':\n}", "2:1: : a value is missing before this"},
    {"{a:1}", "1:2: : a key in double quotes is expected here"},
    {"{'a':1} x",
     "1:9: : nothing may follow the end of the object; is a brace above closed "
     "too early?"},
    {"{'a':'b\n'}", "1:6: : this string is not closed on its line"},
    {"{'a':'b", "1:6: : this string is not closed"},
    {"{'a':'C:\\windows'}", "1:10: : unknown escape; a backslash itself is written \\\\"},
    {"{'a':'x\ty'}", "1:8: : a control character in a string"},
    {"{'a':99999999999999999999}", "1:6: : this number is too big"},
    {"{'a':[1,2", "1:10: : the text ends here, but something is still open: a \"}\" or "
                  "\"]\" is missing"},
    {"{ /* a", "1:3: : this comment has no end; \"*/\" is missing"},
    {"\xef\xbb\xbf{}",
     "1:1: : the file begins with a byte order mark (an invisible U+FEFF "
     "that some editors add); save it as UTF-8 without one"},
    {"{}",
     "1:1: : \"interfaces\" is missing\n"
     "1:1: : \"tftp\" is missing: it says with \"root\" where the boot files are, or "
     "\"enabled\": false"},
    /* keys */
    {TOP "'user':'a', 'user':'b'}",
     "2:13: user: the same key again; it stands already on line 2"},
    {TOP "'user':'a', '\\u0075ser':'b'}", "2:13: : the same key again in one object"},
    {TOP "'hosts':[{'mac':'52:*', 'action':'ignore',\n'mac':'54:*'}]}",
     "3:1: hosts[0].mac: the same key again; it stands already on line 2"},
    {TOP "'usr':'a'}", "2:1: usr: unknown key; did you mean \"user\"?"},
    {TOP "'USER':'a'}", "2:1: USER: unknown key; did you mean \"user\"?"},
    {TOP "'a.b/c':'a'}",
     "2:1: a.b/c: unknown key; known here: \"interfaces\", \"user\", "
     "\"hotplug\", \"dhcp\", \"tftp\", \"evidence\", \"http\", \"profiles\", \"hosts\", "
     "\"host_files\", \"unknown_hosts\", "
     "\"files\", \"control\", \"state_dir\", \"watch\", \"confinement\", \"log\", "
     "\"$schema\""},
    {TOP "'\\u0061\\u001b':1}",
     "1:1: a?: unknown key; known here: \"interfaces\", \"user\", \"hotplug\", \"dhcp\", "
     "\"tftp\", \"evidence\", \"http\", \"profiles\", \"hosts\", \"host_files\", "
     "\"unknown_hosts\", "
     "\"files\", \"control\", "
     "\"state_dir\", \"watch\", \"confinement\", \"log\", \"$schema\""},
    /* once, hold */
    {TOP DEFAULT "'hosts':[{'mac':'02:00:00:00:00:01','action':'wait'}]}",
     "3:46: hosts[0].action: expected \"boot\", \"ignore\", \"local\" or \"hold\", got "
     "\"wait\""},
    {TOP "'hosts':[{'mac':'02:00:00:00:00:01','action':'hold'}]}",
     "2:10: hosts[0]: \"profile\" is missing, and no profile is named \"default\""},
    {TOP "'profiles':{'a':{'ipxe':'http://x/y'}},\n"
         "'hosts':[{'mac':'02:00:00:00:00:01','once':true,'profile':'a'}]}",
     "warning: 3:44: hosts[0].once: its boot is never seen to end, as the last file of "
     "profile \"a\" comes from elsewhere; \"done_when\" there names one of ours"},
    /* files */
    {TOP "'files':[]}",
     "2:9: files: expected an object of up to 512 files, got a list with 0"},
    {TOP "'files':{'a':7}}",
     "2:14: files.a: expected an object with \"file\" or \"template\", got a number"},
    {TOP "'files':{'a':{}}}",
     "2:14: files.a: neither \"file\" nor \"template\": one of them says what is served"},
    {TOP "'files':{'a':{'file':'b','template':'c'}}}",
     "2:14: files.a: both \"file\" and \"template\": one of them says what is served"},
    {TOP "'files':{'a':{'file':'b','kind':'grub'}}}",
     "2:14: files.a: \"kind\" has a meaning with \"template\" only"},
    {TOP "'files':{'a':{'template':'b','kind':'grbu'}}}",
     "2:37: files.a.kind: expected \"plain\", \"ipxe\", \"grub\" or \"pxelinux\", got "
     "\"grbu\""},
    {TOP "'files':{'../a':{'file':'b'}}}",
     "2:10: files.../a: holds \".\" or \"..\", which clients cannot ask for"},
    {TOP "'files':{'/a':{'file':'b'},'a':{'file':'c'}}}",
     "2:28: files.a: the same name as one above"},
    {TOP "'files':{'a//b':{'file':'c/'}}}",
     "2:10: files.a//b: holds a doubled or closing \"/\""},
    {TOP "'files':{'a\\\\b':{'file':'c'}}}",
     "2:9: files.a\\b: is written with \"/\", not with backslashes"},
    {TOP "'files':{'a':{'file':'/../c'}}}",
     "2:22: files.a.file: holds \".\" or \"..\", which clients cannot ask for"},
    {TOP "'$schema':7}", "2:11: $schema: expected a string, got a number"},
    /* user, dhcp */
    {TOP "'control':'pxed.sock'}", "2:11: control: expected an absolute path or \"off\""},
    {TOP "'log':{'format':'jsno','level':'all'}}",
     "2:17: log.format: expected \"auto\", \"text\", \"json\" or \"journal\", got "
     "\"jsno\"\n"
     "2:32: log.level: expected \"error\", \"warning\", \"info\" or \"debug\", got "
     "\"all\""},
    {TOP "'control':'off','watch':1}",
     "2:25: watch: expected true or false, got a number"},
    {TOP "'user':''}", "2:8: user: is empty"},
    {TOP "'user':'a\\u0000b'}",
     "2:8: user: holds a control character, which has no use here"},
    {TOP "'dhcp':true}", "2:8: dhcp: expected an object { ... }, got true"},
    {TOP "'dhcp':{'enabled':1}}",
     "2:19: dhcp.enabled: expected true or false, got a number"},
    {TOP "'dhcp':{'ipv6':'no'}}",
     "2:16: dhcp.ipv6: expected true or false, got a string"},
    {"{'interfaces':['a'],'dhcp':{'enabled':false},'tftp':{'enabled':false}}",
     "1:1: : neither \"dhcp\" nor \"tftp\" is enabled: nothing is left to do"},
    /* interfaces */
    {"{'tftp':{'root':'/t'},\n'interfaces':[]}",
     "warning: 2:14: interfaces: nothing is served: name the interface towards the "
     "clients"},
    {"{'tftp':{'root':'/t'},\n'interfaces':'eth0'}",
     "2:14: interfaces: expected a list of interfaces such as [\"eth0\"], got a string"},
    {"{'tftp':{'root':'/t'},\n'interfaces':['abcdefghijklmno','abcdefghijklmnop']}",
     "2:33: interfaces[1]: an interface name has at most 15 octets"},
    {"{'tftp':{'root':'/t'},\n'interfaces':['a',{'name':'a'},7,{}]}",
     "2:19: interfaces[1]: interface \"a\" is already in the list\n"
     "2:32: interfaces[2]: expected an interface name, or an object with \"name\", got a "
     "number\n"
     "2:34: interfaces[3]: \"name\" is missing"},
    {"{'tftp':{'root':'/t'},\n'interfaces':[{'name':'a "
     "b','address':'10.0.0','listen':'upd'}]}",
     "2:23: interfaces[0].name: \"a b\" is no name that an interface can have\n"
     "2:39: interfaces[0].address: expected an IPv4 address such as \"10.0.0.2\"\n"
     "2:57: interfaces[0].listen: expected \"capture\" or \"udp\", got \"upd\""},
    {"{'tftp':{'root':'/t'},\n'interfaces':[{'name':'a','listen':67}]}",
     "2:36: interfaces[0].listen: expected a string, got a number"},
    {"{'tftp':{'root':'/t'},\n'interfaces':[{'name':'a','listen':'udp'},"
     "{'name':'b','listen':'capture'}]}",
     ""},
    {TOP "'hotplug':'yes'}", "2:11: hotplug: expected true or false, got a string"},
    {TOP "'hotplug':false}", ""},
    {TOP "'confinement':'off'}", ""},
    {TOP "'confinement':'auto'}", ""},
    {TOP "'confinement':false}", "2:15: confinement: expected a string, got false"},
    {TOP "'confinement':'none'}",
     "2:15: confinement: expected \"off\" or \"auto\", got \"none\""},
    {"{'tftp':{'root':'/t'},\n'interfaces':[{'name':'a','address':'255.255.255.255'}]}",
     "2:37: interfaces[0].address: 255.255.255.255 is no address that a machine can "
     "have"},
    /* tftp */
    {"{'interfaces':['a'],\n'tftp':{}}",
     "2:8: tftp: \"root\" is missing: the directory of the boot files"},
    {"{'interfaces':['a'],\n'tftp':{'enabled':false}}", ""},
    {"{'interfaces':['a'],\n'tftp':{'root':'/t','max_block_size':7}}",
     "2:38: tftp.max_block_size: 7 is outside 8..65464"},
    {"{'interfaces':['a'],\n'tftp':{'root':'/"
     "t','max_block_size':8,'max_window_size':65535,"
     "'max_transfers':100000,'data_ports':'65472-65535'}}",
     ""},
    {"{'interfaces':['a'],\n'tftp':{'root':'/t','max_block_size':65465,"
     "'max_window_size':65536,\n'max_transfers':100001,'data_ports':'65471-65535'}}",
     "2:38: tftp.max_block_size: 65465 is outside 8..65464\n"
     "2:62: tftp.max_window_size: 65536 is outside 1..65535\n"
     "3:17: tftp.max_transfers: 100001 is outside 1..100000\n"
     "3:37: tftp.data_ports: 65 ports, at most 64 are possible"},
    {"{'interfaces':['a'],\n'tftp':{'root':'/t','max_window_size':'64'}}",
     "2:39: tftp.max_window_size: expected a whole number, got a string"},
    {"{'interfaces':['a'],\n'tftp':{'root':'/t','max_window_size':6.4}}",
     "2:39: tftp.max_window_size: expected a whole number, got a number with a fraction"},
    {"{'interfaces':['a'],\n'tftp':{'root':'/t','data_ports':1023}}",
     "2:34: tftp.data_ports: port 1023 is outside 1024..65535"},
    {"{'interfaces':['a'],\n'tftp':{'root':'/t','data_ports':'40001-40000'}}",
     "2:34: tftp.data_ports: the first port is above the last; write 40000-40001"},
    {"{'interfaces':['a'],\n'tftp':{'root':'/t','data_ports':'40000-'}}",
     "2:34: tftp.data_ports: expected \"40000-40003\", \"single\" or one port number"},
    {"{'interfaces':['a'],\n'tftp':{'root':'/t','data_ports':'18446744073709551616'}}",
     "2:34: tftp.data_ports: expected \"40000-40003\", \"single\" or one port number"},
    {"{'interfaces':['a'],\n'tftp':{'root':'/t','data_ports':'4294967296'}}",
     "2:34: tftp.data_ports: expected \"40000-40003\", \"single\" or one port number"},
    {"{'interfaces':['a'],\n'tftp':{'root':'/t','data_ports':[1]}}",
     "2:34: tftp.data_ports: expected \"40000-40003\", \"single\" or one port number, "
     "got a "
     "list"},
    {"{'interfaces':['a'],\n'tftp':{'root':'/t','first_window_size':0}}",
     "2:41: tftp.first_window_size: 0 is outside 1..65535"},
    {"{'interfaces':['a'],\n'tftp':{'root':'/t','allow':['attached','10.9.0.0/16','::/"
     "0']}}",
     ""},
    {"{'interfaces':['a'],\n'tftp':{'root':'/t','allow':['lan','10.9.0.1/16',7]}}",
     "2:30: tftp.allow[0]: expected a subnet such as \"10.0.0.0/24\" or \"fd00::/8\", "
     "an address, or \"attached\"\n"
     "2:36: tftp.allow[1]: 10.9.0.1/16 is an address within a subnet: nothing may stand "
     "behind the bits that count\n"
     "2:50: tftp.allow[2]: expected a string, got a number"},
    {"{'interfaces':['a'],\n'tftp':{'root':'/t','allow':[]}}",
     "2:29: tftp.allow: names nobody, so that nobody gets a file: leave it out for the "
     "attached subnets"},
    {"{'interfaces':['a'],\n'tftp':{'root':'/t','allow':'any'}}",
     "2:29: tftp.allow: expected a list of subnets such as [\"10.0.0.0/24\"], got a "
     "string"},
    /* evidence */
    {TOP "'evidence':{'max_files':0,'max_octets':65535,'enabled':1,'files':3}}",
     "2:25: evidence.max_files: 0 is outside 1..10000\n"
     "2:40: evidence.max_octets: 65535 is outside 65536..1073741824\n"
     "2:56: evidence.enabled: expected true or false, got a number\n"
     "2:58: evidence.files: unknown key; known here: \"enabled\", \"max_files\", "
     "\"max_octets\""},
    /* http */
    {TOP "'http':{'listen':'8069'}}",
     "2:18: http.listen: expected \"ADDRESS:PORT\" such as \"127.0.0.1:8069\" or "
     "\"[::1]:8069\", \":8069\" for all addresses, or \"off\""},
    {TOP "'http':{'listen':':0'}}",
     "2:18: http.listen: expected \"ADDRESS:PORT\" such as \"127.0.0.1:8069\" or "
     "\"[::1]:8069\", \":8069\" for all addresses, or \"off\""},
    {TOP "'http':{'listen':'::1:80'}}",
     "2:18: http.listen: expected \"ADDRESS:PORT\" such as \"127.0.0.1:8069\" or "
     "\"[::1]:8069\", \":8069\" for all addresses, or \"off\""},
    {TOP "'http':{'listen':'[::]:80','boot_files':true,'page_from':[]}}", ""},
    {TOP "'http':{'listen':'10.0.0.1:80','page_from':['10.0.0.0/8','fd00::/8','::1']}}",
     ""},
    {TOP "'http':{'page_from':['10.0.0.1/8','lan','10.0.0.0/33',7]}}",
     "2:22: http.page_from[0]: 10.0.0.1/8 is an address within a subnet: nothing may "
     "stand behind the bits that count\n"
     "2:35: http.page_from[1]: expected a subnet such as \"10.0.0.0/24\" or "
     "\"fd00::/8\", or an address\n"
     "2:41: http.page_from[2]: expected a subnet such as \"10.0.0.0/24\" or "
     "\"fd00::/8\", or an address\n"
     "2:55: http.page_from[3]: expected a string, got a number"},
    {TOP "'http':{'page_names':['boot.example.org','a_b','X-1']}}", ""},
    {TOP "'http':{'page_names':['a b','http://a','a.','a..b','',7]}}",
     "2:23: http.page_names[0]: expected a name such as \"boot.example.org\", without "
     "port\n"
     "2:29: http.page_names[1]: expected a name such as \"boot.example.org\", without "
     "port\n"
     "2:40: http.page_names[2]: expected a name such as \"boot.example.org\", without "
     "port\n"
     "2:45: http.page_names[3]: expected a name such as \"boot.example.org\", without "
     "port\n"
     "2:52: http.page_names[4]: is empty\n"
     "2:55: http.page_names[5]: expected a string, got a number"},
    {TOP "'http':{'page_names':'a'}}",
     "2:22: http.page_names: expected a list of up to 8 names, got a string with 0"},
    {TOP "'http':{'boot_files':true}}",
     "warning: 2:22: http.boot_files: no client reaches a loopback address: set "
     "\"listen\" to \":8069\""},
    {TOP "'http':{'listen':'off','boot_files':true}}",
     "2:37: http.boot_files: nothing is served while \"listen\" is \"off\""},
    {TOP "'http':{'max_connections':0,'timeout':4000,'port':80}}",
     "2:27: http.max_connections: 0 is outside 1..10000\n"
     "2:39: http.timeout: 4000 is outside 1..3600\n"
     "2:44: http.port: unknown key; known here: \"listen\", \"boot_files\", "
     "\"page_from\", \"page_names\", \"max_connections\", \"max_per_address\", "
     "\"timeout\""},
    {"{'interfaces':['a'],\n'dhcp':{'enabled':false},'tftp':{'enabled':false},"
     "'http':{'listen':':80','boot_files':true}}",
     "2:33: tftp: \"root\" is missing: the directory of the boot files"},
    {"{'interfaces':['a'],\n'tftp':{'root':'/t','send_ahead':65,'msft_window':1}}",
     "2:34: tftp.send_ahead: expected \"off\", \"auto\" or a number of blocks in "
     "1..64\n"
     "2:51: tftp.msft_window: expected true or false, got a number"},
    {TOP "'profiles':{'default':{'7':'b'}},'hosts':[{'mac':'52:54:00:00:00:01',\n"
         "'send_ahead':'on','max_block_size':7,'max_window_size':0}]}",
     "3:14: hosts[0].send_ahead: expected \"off\", \"auto\" or a number of blocks in "
     "1..64\n"
     "3:36: hosts[0].max_block_size: 7 is outside 8..65464\n"
     "3:56: hosts[0].max_window_size: 0 is outside 1..65535"},
    /* profiles */
    {TOP "'profiles':{'a':{'x64-uefi':'a','7':'b'}}}",
     "2:33: profiles.a.7: the same architecture as \"x64-uefi\" beside it"},
    {TOP "'profiles':{'a':{'x64-uef':'a'}}}",
     "warning: 2:17: profiles.a: gives no boot file to anybody\n"
     "2:18: profiles.a.x64-uef: unknown key; did you mean \"x64-uefi\"?"},
    {TOP "'profiles':{'a':{'42':'a','7':'b'}}}",
     "2:18: profiles.a.42: unknown key; it is no architecture such as \"x64-uefi\" or "
     "\"7\"; also known here: \"ipxe\", \"extends\", \"offer\", \"next_server\", "
     "\"ipxe_override\", \"delay_ms\", \"after_requests\", ..."},
    {TOP "'profiles':{'a':{'7':'a/../b','0':'a\\\\..','ipxe':'...','6':'/'}}}",
     "2:22: profiles.a.7: \"..\" leads out of tftp.root: give a file beneath it\n"
     "2:35: profiles.a.0: \"..\" leads out of tftp.root: give a file beneath it\n"
     "2:60: profiles.a.6: is no name of a file"},
    {TOP
     "'profiles':{'a':{'7':'http://a/b','ipxe':'http://a/b','16':'https://10.0.0.1/b',\n"
     "'15':'x.efi'}}}",
     "2:22: profiles.a.7: clients of this architecture load by TFTP: give a file beneath "
     "tftp.root, not a URL\n"
     "3:6: profiles.a.15: clients of this architecture load by HTTP: give an http:// or "
     "https:// URL, or set \"boot_files\" of \"http\" to true for a file beneath "
     "tftp.root"},
    {TOP "'profiles':{'a':{'16':'x/y.efi','15':'tftp://a/b','19':'../x'}},"
         "'http':{'listen':':80','boot_files':true}}",
     "2:38: profiles.a.15: clients of this architecture load by HTTP: give an http:// or "
     "https:// URL\n"
     "2:56: profiles.a.19: \"..\" leads out of tftp.root: give a file beneath it"},
    {TOP "'profiles':{'a':{'16':'http://boot.example/x.efi'}}}", /* B51 */
     "warning: 2:23: profiles.a.16: UEFI resolves a host name only if the DHCP server "
     "gives "
     "it a DNS server: an address always works"},
    {TOP "'profiles':{'a':{'7':''}}}",
     "warning: 2:17: profiles.a: gives no boot file to anybody\n"
     "2:22: profiles.a.7: is empty"},
    {TOP "'profiles':{'a':{'7':'b','next_server':'x','offer':'y','ipxe_override':0}}}",
     "2:40: profiles.a.next_server: expected an IPv4 address such as \"10.0.0.2\"\n"
     "2:52: profiles.a.offer: expected \"auto\", \"pxe\", \"binl\" or \"both\", got "
     "\"y\"\n"
     "2:72: profiles.a.ipxe_override: expected true or false, got a number"},
    {TOP "'profiles':{'a':{'7':'b','extends':'a'}}}",
     "2:36: profiles.a.extends: \"a\" extends itself"},
    {TOP
     "'profiles':{'x':{'7':'b','extends':'b'},'a':{'extends':'b'},'b':{'extends':'a'}}}",
     "warning: 2:45: profiles.a: gives no boot file to anybody\n"
     "2:56: profiles.a.extends: \"a\" extends itself by way of others\n"
     "warning: 2:65: profiles.b: gives no boot file to anybody"},
    {TOP "'profiles':{'rescue':{'7':'b'},'b':{'extends':'resceu'}}}",
     "warning: 2:36: profiles.b: gives no boot file to anybody\n"
     "2:47: profiles.b.extends: there is no profile \"resceu\"; did you mean "
     "\"rescue\"?"},
    {TOP "'profiles':{'':{'7':'b'}}}",
     "2:13: profiles.: the name of a profile has 1 to 63 octets"},
    {TOP "'profiles':[]}",
     "2:12: profiles: expected an object of up to 256 profiles, got a list with 0"},
    /* hosts */
    {TOP DEFAULT "'hosts':{}}",
     "3:9: hosts: expected a list [ ... ] of hosts, got an object"},
    {TOP DEFAULT "'hosts':[7,{}]}",
     "3:10: hosts[0]: expected an object { ... } about one host, got a number\n"
     "3:12: hosts[1]: \"mac\" or \"uuid\" is missing, or another key that says which "
     "machine this is"},
    {TOP DEFAULT "'hosts':[{'mac':'52:54:00:12:34'},{'mac':'52:*:00'},{'mac':'*'},"
                 "{'mac':'525:*'}]}",
     "3:17: hosts[0].mac: expected a MAC address such as \"52:54:00:12:34:56\" or the "
     "beginning of one such as \"52:54:00:*\"\n"
     "3:42: hosts[1].mac: expected a MAC address such as \"52:54:00:12:34:56\" or the "
     "beginning of one such as \"52:54:00:*\"\n"
     "3:60: hosts[2].mac: expected a MAC address such as \"52:54:00:12:34:56\" or the "
     "beginning of one such as \"52:54:00:*\"\n"
     "3:72: hosts[3].mac: expected a MAC address such as \"52:54:00:12:34:56\" or the "
     "beginning of one such as \"52:54:00:*\""},
    {TOP DEFAULT "'hosts':[{'mac':'01:*'},{'mac':'52-54-00-00-00-01'}]}",
     "warning: 3:17: hosts[0].mac: is a group address, which no machine has as its own"},
    {TOP DEFAULT "'hosts':[{'uuid':'00112233-4455-6677-8899-aabbccddeef'},\n"
                 "{'uuid':'ffffffff-ffff-ffff-ffff-ffffffffffff'}]}",
     "3:18: hosts[0].uuid: expected a UUID such as "
     "\"00112233-4455-6677-8899-aabbccddeeff\"\n"
     "4:9: hosts[1].uuid: is what every board without a UUID of its own sends, so it is "
     "never matched; use \"mac\""},
    {TOP DEFAULT "'hosts':[{'name':'a','mac':'52:54:00:00:00:01'},\n"
                 "{'mac':'52-54-00-00-00-01'}, {'mac':'52:*'},{'mac':'52:*'}]}",
     "4:8: hosts[1].mac: the same MAC address as host \"a\" on line 3\n"
     "4:52: hosts[3].mac: the same MAC address as the host on line 4"},
    {TOP DEFAULT "'hosts':[{'uuid':'00112233-4455-6677-8899-aabbccddeeff'},\n"
                 "{'uuid':'33221100-5544-7766-8899-AABBCCDDEEFF'}]}",
     "4:9: hosts[1].uuid: the same UUID as the host on line 3"},
    {TOP DEFAULT "'hosts':[{'mac':'52:*','action':'disk'}]}",
     "3:33: hosts[0].action: expected \"boot\", \"ignore\", \"local\" or \"hold\", got "
     "\"disk\""},
    {TOP DEFAULT
     "'hosts':[{'mac':'52:*'},\n{'mac':'52:54:00:*'},{'mac':'52:54:00:00:00:01'},"
     "{'mac':'52:55:*','uuid':'00112233-4455-6677-8899-aabbccddeeff'}]}",
     "warning: 4:8: hosts[1].mac: is never reached: the host on line 3 is always taken "
     "before it"},
    {TOP DEFAULT "'hosts':[{'mac':'52:*','max_block_size':7,'max_window_size':0}]}",
     "3:41: hosts[0].max_block_size: 7 is outside 8..65464\n"
     "3:61: hosts[0].max_window_size: 0 is outside 1..65535"},
    {TOP DEFAULT "'hosts':[{'mac':'52:*','profile':'x'}]}",
     "3:34: hosts[0].profile: there is no profile \"x\"; \"profiles\" must hold it"},
    {TOP "'hosts':[{'mac':'52:*'},{'mac':'54:*','action':'ignore'}]}",
     "2:10: hosts[0]: \"profile\" is missing, and no profile is named \"default\""},
    {TOP "'profiles':7,\n'hosts':[{'mac':'52:*','profile':'a'},{'mac':'54:*'}]}",
     "2:12: profiles: expected an object of up to 256 profiles, got a number with 0"},
    /* whom a host means */
    {TOP DEFAULT "'hosts':[{'vendor_class':'PXEClient:Arch:00007*','user_class':'iPXE',"
                 "'arch':['x64-uefi',9,'0x0b'],\n'relay':'10.0.5.0/24',"
                 "'circuit_id':'hex:00ff*','interface':'eth0','vars':{'a_b-1':''}}]}",
     ""},
    {TOP DEFAULT
     "'hosts':[{'vendor_class':'','user_class':7,'circuit_id':'hex:0g'},"
     "{'circuit_id':'hex:012'},\n{'circuit_id':'hex:*'},{'circuit_id':'hex'}]}",
     "3:26: hosts[0].vendor_class: is empty\n"
     "3:42: hosts[0].user_class: expected a string, got a number\n"
     "3:57: hosts[0].circuit_id: expected two hexadecimal digits for each octet behind "
     "\"hex:\"\n"
     "3:81: hosts[1].circuit_id: expected two hexadecimal digits for each octet behind "
     "\"hex:\""},
    {TOP DEFAULT "'hosts':[{'arch':'x64-uef'},{'arch':[7,42,'vax']},{'arch':[]},"
                 "{'arch':true}]}",
     "3:18: hosts[0].arch: there is no architecture \"x64-uef\"; did you mean "
     "\"x64-uefi\"?\n"
     "3:40: hosts[1].arch[1]: there is no architecture \"42\"; give a name such as "
     "\"x64-uefi\" or a number such as 7\n"
     "3:43: hosts[1].arch[2]: there is no architecture \"vax\"; give a name such as "
     "\"x64-uefi\" or a number such as 7\n"
     "3:59: hosts[2].arch: is empty: name an architecture, or leave \"arch\" out\n"
     "3:71: hosts[3].arch: expected a string, got true"},
    {TOP DEFAULT "'hosts':[{'relay':'10.0.5'},{'relay':'10.0.5.1/24'},\n"
                 "{'relay':'10.0.5.0/33'},{'relay':'0.0.0.0'},{'relay':'0.0.0.0/0'},"
                 "{'relay':'10.0.5.0/'}]}",
     "3:19: hosts[0].relay: expected the address of a relay agent such as \"10.0.5.1\", "
     "or a subnet such as \"10.0.5.0/24\"\n"
     "3:38: hosts[1].relay: 10.0.5.1/24 is an address within a subnet; the subnet is "
     "10.0.5.0/24\n"
     "4:10: hosts[2].relay: expected the address of a relay agent such as \"10.0.5.1\", "
     "or a subnet such as \"10.0.5.0/24\"\n"
     "4:34: hosts[3].relay: 0.0.0.0 is the address of no relay agent\n"
     "4:76: hosts[5].relay: expected the address of a relay agent such as \"10.0.5.1\", "
     "or a subnet such as \"10.0.5.0/24\""},
    {TOP DEFAULT "'hosts':[{'interface':'eht0'},{'interface':'wlan'}]}",
     "3:23: hosts[0].interface: \"eht0\" is not served; did you mean \"eth0\"?\n"
     "3:44: hosts[1].interface: \"wlan\" is not served; \"interfaces\" must hold it"},
    {TOP DEFAULT
     "'hosts':[{'mac':'52:54:00:00:00:01','arch':7},{'mac':'52:54:00:00:00:01','arch':11}"
     ","
     "\n{'arch':'7','mac':'52:54:00:00:00:01'},"
     "{'user_class':'x','interface':'eth0'},{'user_class':'x','interface':'eth0'}]}",
     "4:19: hosts[2].mac: the same machines as the host on line 3\n"
     "4:92: hosts[4].user_class: the same machines as the host on line 4"},
    {TOP DEFAULT
     "'hosts':[{'mac':'52:*','vars':{'1a':'x','a b':'x','a':1,'b':'\\u0001'}},"
     "\n{'mac':'54:*','vars':[]}]}",
     "3:32: hosts[0].vars.1a: the name of a variable has letters, digits, \"_\" and "
     "\"-\", a letter first, and 63 octets at most\n"
     "3:41: hosts[0].vars.a b: the name of a variable has letters, digits, \"_\" and "
     "\"-\", a letter first, and 63 octets at most\n"
     "3:55: hosts[0].vars.a: expected a string, got a number\n"
     "3:61: hosts[0].vars.b: holds a control character, which has no use here\n"
     "4:22: hosts[1].vars: expected an object of up to 64 strings, got a list with 0"},
    /* unknown hosts */
    {TOP "'unknown_hosts':{}}",
     "2:17: unknown_hosts: \"profile\" is missing, and no profile is named \"default\""},
    {TOP "'unknown_hosts':{'action':'ignore'}}", ""},
    {TOP "'unknown_hosts':7}",
     "2:17: unknown_hosts: expected an object { ... }, got a number"},
};
#define ROWS ((int)(sizeof rows / sizeof rows[0]))

START_TEST(every_fault_at_its_place)
{
    struct faults f = {0};
    char *text = quoted(rows[_i].json);
    struct snapshot *s = config_load(text, strlen(text), &f);
    char *got = faults_in_lines(&f);
    ck_assert_msg(!strcmp(got, rows[_i].faults), "%s\ngot\n%s\nwant\n%s", rows[_i].json,
                  got, rows[_i].faults);
    ck_assert(!s == (f.errors > 0));
    snapshot_free(s);
    faults_done(&f);
    free(got);
    free(text);
}
END_TEST

Suite *suite_config_load(void)
{
    Suite *s = suite_create("config/load");
    TCase *tc = tcase_create("load");
    tcase_add_loop_test(tc, every_fault_at_its_place, 0, ROWS);
    suite_add_tcase(s, tc);
    return s;
}
