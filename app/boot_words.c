#include "app/boot_words.h"

#include <string.h>

#include "common/text.h"
#include "config/arch.h"

static bool has(struct ip4 ip)
{
    return !ip4_is_any(ip);
}

static void say_machine(const struct boot *b, struct text *out)
{
    char mac[MAC_TEXT];
    char ip[ENDPOINT_TEXT];
    const char *address = b->has_mac       ? mac_print(&b->mac, mac)
                          : b->has_address ? endpoint_print_ip(&b->address, ip)
                                           : "a machine";
    if (b->host[0]) {
        text_say(out, "%s (%s)", b->host, address);
    } else {
        text_say(out, "%s", address);
    }
}

static void say_mac(const struct boot *b, struct text *out)
{
    char mac[MAC_TEXT];
    text_say(out, "%s", mac_print(&b->mac, mac));
}

static void say_asked(const struct boot *b, struct text *out)
{
    uint32_t n = b->facts.discovers;
    text_say(out, n <= 1 ? "once" : "%u times", n);
}

static void say_arch(const struct boot *b, struct text *out)
{
    const char *name = b->has_arch ? arch_name(b->arch) : NULL;
    if (name) {
        text_say(out, "%s", name);
    } else if (b->has_arch) {
        text_say(out, "architecture %u", b->arch);
    } else {
        text_say(out, "its architecture");
    }
}

static void say_profile(const struct boot *b, struct text *out)
{
    text_say(out, "%s", b->profile[0] ? b->profile : "default");
}

static void say_file(const struct boot *b, struct text *out)
{
    text_say(out, "%s", b->facts.file[0] ? b->facts.file : "its boot file");
}

static void say_first(const struct boot *b, struct text *out)
{
    text_say(out, "%s", b->facts.first.name);
}

static void say_good(const struct boot *b, struct text *out)
{
    text_say(out, "%s", b->facts.good.name);
}

static void say_times(const struct boot *b, struct text *out)
{
    text_say(out, "%u", b->facts.first.times);
}

static void say_refused(const struct boot *b, struct text *out)
{
    text_say(out, "%s", b->facts.bad.name);
}

static void say_why(const struct boot *b, struct text *out)
{
    text_say(out, "%s", b->facts.bad_reason);
}

static void say_failed(const struct boot *b, struct text *out)
{
    text_say(out, "%s", b->facts.worst.name);
}

static void say_end(const struct boot *b, struct text *out)
{
    text_say(out, "%s", boot_file_end_name(b->facts.worst.end));
}

static void say_port(const struct boot *b, struct text *out)
{
    if (b->facts.worst.port > 0) {
        text_say(out, "UDP port %u", b->facts.worst.port);
    } else {
        text_say(out, "our data port");
    }
}

static void say_block(const struct boot *b, struct text *out)
{
    text_say(out, "%u", b->facts.worst.progress.block);
}

/* The usual sizes beneath: PPP and tunnels, the IPv6 minimum, one that fits everywhere. */
static void say_small(const struct boot *b, struct text *out)
{
    uint32_t block = b->facts.worst.progress.block;
    text_say(out, "%u", block > 1408 ? 1360u : (block > 1228 ? 1228u : 512u));
}

static void say_octets(uint64_t octets, struct text *out)
{
    char buf[16];
    text_say(out, "%s", text_bytes(octets, buf, sizeof buf));
}

static void say_sent(const struct boot *b, struct text *out)
{
    say_octets(b->facts.worst.progress.sent, out);
}

static void say_size(const struct boot *b, struct text *out)
{
    say_octets(b->facts.worst.progress.size, out);
}

static void say_resent(const struct boot *b, struct text *out)
{
    text_say(out, "%llu", (unsigned long long)b->facts.worst.progress.resent);
}

static const struct boot_load *last_of(const struct boot *b, enum boot_file_end end)
{
    for (uint32_t i = b->file_count; i > 0; i--) {
        if (b->files[i - 1].end == end) {
            return &b->files[i - 1];
        }
    }
    return NULL;
}

static void say_running(const struct boot *b, struct text *out)
{
    const struct boot_load *load = last_of(b, BOOT_FILE_RUNS);
    text_say(out, "%s", load ? load->name : "a file");
}

static void say_asked_file(const struct boot *b, struct text *out)
{
    const struct boot_load *load = last_of(b, BOOT_FILE_PROBE);
    text_say(out, "%s", load ? load->name : b->facts.file);
}

static void say_probed(const struct boot *b, struct text *out)
{
    const struct boot_load *load = last_of(b, BOOT_FILE_PROBE);
    say_octets(load ? load->progress.size : 0, out);
}

static void say_time(usec_t time, struct text *out)
{
    double seconds = (double)time / (double)USEC_PER_SEC;
    text_say(out, seconds < 10 ? "%.1f s" : "%.0f s", seconds);
}

static void say_seconds(const struct boot *b, struct text *out)
{
    say_time(b->facts.moved > b->began ? b->facts.moved - b->began : 0, out);
}

static void say_later(const struct boot *b, struct text *out)
{
    usec_t end = b->ended ? b->ended : b->heard;
    say_time(end > b->facts.good.at ? end - b->facts.good.at : 0, out);
}

static void say_late(const struct boot *b, struct text *out)
{
    say_time(b->facts.lease.at - b->facts.first_discover, out);
}

static void say_count(const struct boot *b, struct text *out)
{
    text_say(out, b->facts.whole == 1 ? "one file" : "%u files", b->facts.whole);
}

static void say_ip(struct ip4 ip, struct text *out)
{
    char buf[IP4_TEXT];
    text_say(out, "%s", has(ip) ? ip4_print(ip, buf) : "another server");
}

static void say_server(const struct boot *b, struct text *out)
{
    const struct boot_facts *f = &b->facts;
    say_ip(has(f->asked_tftp)   ? f->asked_tftp
           : has(f->asked_4011) ? f->asked_4011
                                : f->lease.server,
           out);
}

static void say_other(const struct boot *b, struct text *out)
{
    text_say(out, "%s", b->facts.asked_name);
}

static void say_lease(const struct boot *b, struct text *out)
{
    say_ip(b->facts.lease.server, out);
}

static void say_winner(const struct boot *b, struct text *out)
{
    const struct boot_facts *f = &b->facts;
    if (has(f->asked_tftp)) {
        text_say(out, "TFTP server ");
        say_ip(f->asked_tftp, out);
    } else if (has(f->proxy.server)) {
        text_say(out, "PXE server ");
        say_ip(f->proxy.server, out);
    } else {
        text_say(out, "DHCP server ");
        say_ip(f->lease.server, out);
    }
}

static void say_what(const struct boot *b, struct text *out)
{
    const struct boot_facts *f = &b->facts;
    const char *file = has(f->asked_tftp)     ? f->asked_name
                       : has(f->proxy.server) ? f->proxy.file
                                              : f->lease.file;
    if (file[0]) {
        text_say(out, " (\"%s\")", file);
    }
}

static void say_from(const struct boot *b, struct text *out)
{
    if (has(b->facts.lease_server)) {
        text_say(out, " from ");
        say_ip(b->facts.lease_server, out);
    }
}

static void say_door(const struct boot *b, struct text *out)
{
    bool http = strncmp(b->facts.file, "http", 4) == 0;
    text_say(out, http ? "the port of its URL" : "UDP port 69");
}

static void say_next(const struct boot *b, struct text *out)
{
    if (has(b->facts.lease.next_server)) {
        text_say(out, ", ");
        say_ip(b->facts.lease.next_server, out);
    }
}

static void say_form(const struct boot *b, struct text *out)
{
    text_say(out, "\"%s\"", b->facts.form ? b->facts.form : "?");
}

static void say_interface(const struct boot *b, struct text *out)
{
    text_say(out, "%s", b->interface);
}

static void say_reason(const struct boot *b, struct text *out)
{
    const char *name = dhcp_verdict_name(b->facts.silence);
    text_say(out, "%s", name ? name : "?");
}

static const struct {
    const char *name;
    void (*say)(const struct boot *b, struct text *out);
} words[] = {
    {"machine", say_machine}, {"mac", say_mac},         {"asked", say_asked},
    {"arch", say_arch},       {"profile", say_profile}, {"file", say_file},
    {"first", say_first},     {"good", say_good},       {"times", say_times},
    {"refused", say_refused}, {"why", say_why},         {"failed", say_failed},
    {"end", say_end},         {"port", say_port},       {"block", say_block},
    {"small", say_small},     {"sent", say_sent},       {"size", say_size},
    {"resent", say_resent},   {"running", say_running}, {"asked_file", say_asked_file},
    {"probed", say_probed},   {"seconds", say_seconds}, {"later", say_later},
    {"late", say_late},       {"count", say_count},     {"server", say_server},
    {"other", say_other},     {"lease", say_lease},     {"winner", say_winner},
    {"what", say_what},       {"from", say_from},       {"door", say_door},
    {"next", say_next},       {"form", say_form},       {"interface", say_interface},
    {"reason", say_reason},
};

static void say_word(const struct boot *b, const char *name, size_t len, struct text *out)
{
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i].name) == len && memcmp(words[i].name, name, len) == 0) {
            words[i].say(b, out);
            return;
        }
    }
    text_say(out, "{%.*s}", (int)len, name);
}

/* A template with its words put in. */
void boot_words_fill(const struct boot *b, const char *template, char *buf, size_t size)
{
    struct text out = {.at = buf, .size = size};
    buf[0] = '\0';
    while (*template) {
        size_t plain = strcspn(template, "{");
        text_say(&out, "%.*s", (int)plain, template);
        template += plain;
        const char *close = *template ? strchr(template, '}') : NULL;
        if (close) {
            say_word(b, template + 1, (size_t)(close - template - 1), &out);
            template = close + 1;
        }
    }
}
