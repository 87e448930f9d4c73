#include "config/system.h"

#include <stdio.h>
#include <string.h>

/* -- names that loaders ask for ----------------------------------------------------------- */

/* "01-52-54-00-12-34-56": the hardware type of Ethernet, then the address. */
static bool read_mac(const char *text, struct mac *out)
{
    char colons[MAC_TEXT];
    size_t len = strlen(text);
    if (len != 20 || strncmp(text, "01-", 3) != 0) {
        return false;
    }
    for (size_t i = 0; i < 18; i++) {
        char c = text[3 + i];
        colons[i] = (char)(i % 3 == 2 && c == '-' ? ':' : c);
    }
    return mac_parse(colons, out);
}

static const char *behind(const char *text, const char *start)
{
    size_t len = strlen(start);
    return strncmp(text, start, len) == 0 ? text + len : NULL;
}

static const char *base_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

/* Is it in a directory of this name? */
static bool is_in(const char *name, const char *base, const char *directory)
{
    size_t len = strlen(directory);
    return (size_t)(base - name) > len && strncmp(base - 1 - len, directory, len) == 0 &&
           (base - 1 - len == name || base[-2 - (ptrdiff_t)len] == '/');
}

struct system_name system_name_read(const char *name)
{
    struct system_name n = {.kind = TEMPLATE_PLAIN};
    const char *base = base_of(name);
    const char *grub = behind(base, "grub.cfg");
    enum template_kind kind = TEMPLATE_PLAIN;
    const char *rest = NULL;
    if (is_in(name, base, "pxelinux.cfg")) {
        kind = TEMPLATE_PXELINUX;
        rest = strcmp(base, "default") == 0 ? "" : base;
    } else if (grub && (grub[0] == '\0' || grub[0] == '-')) {
        kind = TEMPLATE_GRUB;
        rest = grub[0] == '-' ? grub + 1 : "";
    } else if (strcmp(base, SYSTEM_SCRIPT) == 0) {
        kind = TEMPLATE_IPXE;
        rest = "";
    }
    n.has_mac = rest && read_mac(rest, &n.mac);
    n.kind = n.has_mac || (rest && rest[0] == '\0') ? kind : TEMPLATE_PLAIN;
    return n;
}

/* -- what may stand in them --------------------------------------------------------------- */

/* Octets that mean nothing to any loader, nor in a URL. */
#define NAME_OCTETS                                                                      \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+~@=/"

static bool leads_nowhere(const char *name)
{
    return name[0] == '\0' || strstr(name, "..") || strstr(name, "//") ||
           name[strlen(name) - 1] == '/';
}

const char *system_name_objection(const char *name)
{
    if (leads_nowhere(name)) {
        return "is no name of a file beneath tftp.root";
    }
    for (const char *p = name; *p;) {
        const char *end = strncmp(p, "${", 2) == 0 ? strchr(p, '}') : NULL;
        if (!end && !strchr(NAME_OCTETS, *p)) {
            return "holds an octet that some loader cannot take in the name of a file: "
                   "letters, digits and ._-+~@=/ are safe";
        }
        p = end ? end + 1 : p + 1;
    }
    return NULL;
}

const char *system_args_objection(const char *args)
{
    unsigned quotes = 0;
    for (const char *p = args; *p; p++) {
        if (*p == '\\' || *p == '\'') {
            return "is to be written as the kernel reads it: no backslash and no ' ; "
                   "\" goes around blanks";
        }
        quotes += *p == '"';
    }
    return quotes % 2 ? "holds a \" that is not closed" : NULL;
}

/* Words that end a command of an iPXE script. */
static bool ends_command(const char *word, size_t len)
{
    static const char *const words[] = {"#", ";", "&&", "||"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (len == strlen(words[i]) && strncmp(word, words[i], len) == 0) {
            return true;
        }
    }
    return false;
}

static bool suits_ipxe(const char *args)
{
    for (const char *p = args + strspn(args, " "); *p;) {
        size_t len = strcspn(p, " ");
        if (ends_command(p, len)) {
            return false;
        }
        p += len;
        p += strspn(p, " ");
    }
    return !strstr(args, "${");
}

/* -- rendering ---------------------------------------------------------------------------- */

/* A system whose names and command line have become those of one client. */
struct rendered {
    char kernel[SYSTEM_NAME_MAX + 1];
    char initrd[SYSTEM_INITRDS_MAX][SYSTEM_NAME_MAX + 1];
    size_t initrd_count;
    char args[SYSTEM_ARGS_MAX + 1];
};

static enum template_fault render_text(const struct template_client *client,
                                       const char *text, char *out, size_t size,
                                       struct template_place *place)
{
    struct template_source from = {text, strlen(text), TEMPLATE_PLAIN};
    struct wr w = wr_over(out, size - 1);
    *place = (struct template_place){.line = 1, .column = 1};
    enum template_fault fault = template_render(client, &from, &w, place);
    out[fault == TEMPLATE_OK ? wr_len(&w) : 0] = '\0';
    return fault;
}

enum template_fault system_render_name(const struct template_client *client,
                                       const char *text, char out[SYSTEM_NAME_MAX + 1],
                                       struct template_place *place)
{
    enum template_fault fault =
        render_text(client, text, out, SYSTEM_NAME_MAX + 1, place);
    bool plain = !leads_nowhere(out) && out[strspn(out, NAME_OCTETS)] == '\0';
    return fault != TEMPLATE_OK || plain ? fault : TEMPLATE_UNFIT;
}

static enum template_fault render_parts(const struct template_client *client,
                                        const struct system_conf *system,
                                        enum template_kind kind, struct rendered *out,
                                        struct template_place *place)
{
    enum template_fault fault =
        system_render_name(client, system->kernel.name, out->kernel, place);
    out->initrd_count = system->initrd_count;
    for (size_t i = 0; fault == TEMPLATE_OK && i < system->initrd_count; i++) {
        fault = system_render_name(client, system->initrd[i].name, out->initrd[i], place);
    }
    if (fault == TEMPLATE_OK) {
        fault = render_text(client, system->args ? system->args : "", out->args,
                            sizeof out->args, place);
    }
    bool suits =
        fault != TEMPLATE_OK || (!system_args_objection(out->args) &&
                                 (kind != TEMPLATE_IPXE || suits_ipxe(out->args)));
    return suits ? fault : TEMPLATE_UNFIT;
}

static void say(struct wr *w, const char *text)
{
    wr_put(w, text, strlen(text));
}

/*
 * An EFI stub without a better way to its initrds looks for those that the command line names.
 * Quirk: wimboot stops at arguments that it does not know, of which this is one.
 */
static void write_ipxe(const struct rendered *r, const char *url, struct wr *w)
{
    say(w, "#!ipxe\nkernel ");
    say(w, url);
    say(w, "/");
    say(w, r->kernel);
    bool named = !behind(base_of(r->kernel), "wimboot");
    for (size_t i = 0; named && i < r->initrd_count; i++) {
        say(w, " initrd=");
        say(w, base_of(r->initrd[i]));
    }
    say(w, r->args[0] ? " " : "");
    say(w, r->args);
    for (size_t i = 0; i < r->initrd_count; i++) {
        say(w, "\ninitrd ");
        say(w, url);
        say(w, "/");
        say(w, r->initrd[i]);
    }
    say(w, "\nboot\n");
}

static void write_pxelinux(const struct rendered *r, const char *host, struct wr *w)
{
    say(w, "DEFAULT pxed\nPROMPT 0\nLABEL pxed\n  LINUX ");
    say(w, host);
    say(w, "::");
    say(w, r->kernel);
    for (size_t i = 0; i < r->initrd_count; i++) {
        say(w, i == 0 ? "\n  INITRD " : ",");
        say(w, host);
        say(w, "::");
        say(w, r->initrd[i]);
    }
    say(w, r->args[0] ? "\n  APPEND " : "");
    say(w, r->args);
    say(w, "\n");
}

/*
 * GRUB takes words apart and puts '"' around those with blanks when it joins them for the
 * kernel, which reads "a=b c" as it does a="b c".
 */
static void put_words(const char *args, struct wr *w)
{
    bool word = false;
    bool quoted = false;
    for (const char *p = args; *p; p++) {
        if (*p == ' ' && !quoted) {
            say(w, word ? "'" : "");
            word = false;
            continue;
        }
        say(w, word ? "" : " '");
        word = true;
        if (*p == '"') {
            quoted = !quoted;
        } else {
            wr_u8(w, (uint8_t)*p);
        }
    }
    say(w, word ? "'" : "");
}

static void put_grub_file(const char *host, const char *name, struct wr *w)
{
    size_t len = strlen(host);
    bool bracketed = host[0] == '[' && host[len - 1] == ']';
    say(w, " (tftp,");
    wr_put(w, host + bracketed, bracketed ? len - 2 : len);
    say(w, ")/");
    say(w, name);
}

static void write_grub(const struct rendered *r, const char *host, struct wr *w)
{
    say(w, "linux");
    put_grub_file(host, r->kernel, w);
    put_words(r->args, w);
    say(w, r->initrd_count ? "\ninitrd" : "");
    for (size_t i = 0; i < r->initrd_count; i++) {
        put_grub_file(host, r->initrd[i], w);
    }
    say(w, "\nboot\n");
}

enum template_fault system_render(const struct template_client *client,
                                  const struct system_conf *system,
                                  enum template_kind kind,
                                  const struct system_server *server, struct wr *out,
                                  struct template_place *place)
{
    struct rendered r;
    enum template_fault fault = render_parts(client, system, kind, &r, place);
    if (fault != TEMPLATE_OK) {
        return fault;
    }
    if (kind == TEMPLATE_IPXE) {
        write_ipxe(&r, server->url, out);
    } else if (kind == TEMPLATE_GRUB) {
        write_grub(&r, server->host, out);
    } else {
        write_pxelinux(&r, server->host, out);
    }
    return wr_ok(out) ? TEMPLATE_OK : TEMPLATE_LONG;
}

bool system_last_file(const struct template_client *client,
                      const struct system_conf *system, char out[SYSTEM_NAME_MAX + 1])
{
    struct template_place place;
    size_t count = system->initrd_count;
    const char *last = count > 0 ? system->initrd[count - 1].name : system->kernel.name;
    return system_render_name(client, last, out, &place) == TEMPLATE_OK;
}
