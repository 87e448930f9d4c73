/*
 * Templates, and what a system makes of a kernel, its files and its command line.
 *
 * Properties: faults come in order, each within the text and with words; rendering stays within
 * its buffer of whatever size; a loader's configuration has the lines it is to have, whatever
 * stands in a name or an argument; a name that a loader asks for is of a known kind.
 */
#include "config/system.h"
#include "tests/fuzz/fuzz.h"

#define ROOM 4096

static const char json[] =
    "{\"interfaces\": [\"eth0\"], \"tftp\": {\"root\": \"/t\"}, \"profiles\": {"
    "\"default\": {\"7\": \"a\", \"vars\": {\"p\": \"x$y'z\\\"\\\\;\"}}},"
    "\"hosts\": [{\"name\": \"h\", \"mac\": \"52:54:00:12:34:56\", \"vars\": {\"h\": "
    "\"${v}\"}}]}";

/* Faults come in order, each within the text and with words. */
static void check_faults(const struct snapshot *config, const char *text, size_t len)
{
    size_t from = 0;
    struct template_place place;
    enum template_fault fault;
    size_t last = 0;
    while ((fault = template_check(config, text, len, &from, &place)) != TEMPLATE_OK) {
        char words[256];
        must(place.offset >= last && place.offset < len && place.offset < from);
        must(from <= len && place.line >= 1 && place.column >= 1);
        must(template_explain(fault, &place, words, sizeof words)[0] != '\0');
        last = place.offset;
    }
}

static void check_words(void)
{
    static const struct template_place nowhere = {.name = "vars.x"};
    char words[256];
    for (unsigned fault = TEMPLATE_OK; fault <= TEMPLATE_LONG; fault++) {
        must(template_explain((enum template_fault)fault, &nowhere, words,
                              sizeof words)[0] != '\0');
    }
}

static void check_rendering(const struct template_client *client, const char *text,
                            size_t len, enum template_kind kind, size_t room)
{
    char *out = malloc(room + 1); /* exact, so that a sanitizer sees what goes beyond */
    struct template_source source = {text, len, kind};
    struct template_place place;
    must(out != NULL);
    struct wr w = wr_over(out, room);
    enum template_fault fault = template_render(client, &source, &w, &place);
    must(fault != TEMPLATE_OK || wr_len(&w) <= room);
    must(fault == TEMPLATE_OK || place.offset < len);
    free(out);
}

/* A loader's configuration has the lines it is to have, whatever stands in a name or argument. */
static void check_system(const struct template_client *client, char *text,
                         enum template_kind kind)
{
    static const size_t line_count[] = {
        [TEMPLATE_IPXE] = 4, [TEMPLATE_GRUB] = 3, [TEMPLATE_PXELINUX] = 5};
    char out[16384];
    static const struct system_server server = {"10.0.0.1", "http://10.0.0.1"};
    struct template_place place;
    char plain[] = "k";
    struct system_conf system = {.initrd_count = 1, .initrd[0].name = plain};
    bool name = !system_name_objection(text);
    system.kernel.name = name ? text : plain;
    system.args = !system_args_objection(text) ? text : NULL;
    struct wr w = wr_over(out, sizeof out);
    size_t lines = 0;
    if (strpbrk(text, "\r\n") || /* refused before */
        system_render(client, &system, kind, &server, &w, &place) != TEMPLATE_OK) {
        return;
    }
    for (size_t i = 0; i < wr_len(&w); i++) {
        lines += out[i] == '\n';
    }
    size_t append = kind == TEMPLATE_PXELINUX && system.args && text[0] != '\0';
    /* A command line that comes out empty is left out. */
    must(lines == line_count[kind] || lines == line_count[kind] + append);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct snapshot *config = fuzz_config(json);
    struct machine machine = {.mac = {{2, 0, 0, 0, 0, 1}}, .has_arch = true, .arch = 7};
    struct template_client client = {
        .config = config,
        .host = hosts_at(config->hosts, 0),
        .machine = size % 2 ? &machine : NULL,
        .address = endpoint_ip4((struct ip4){{10, 0, 0, 7}}, 1),
        .server = endpoint_ip4((struct ip4){{10, 0, 0, 1}}, 69),
    };
    char *text = malloc(size + 1);
    must(text != NULL);
    memcpy(text, size > 0 ? (const char *)data : "", size);
    text[size] = '\0';
    struct template_place place;
    check_words();
    check_faults(config, text, size);
    must(template_check_host(config, client.host, text, &place) == TEMPLATE_OK ||
         place.offset < size);
    must(template_is_plain(text) == !strstr(text, "${"));
    for (enum template_kind kind = TEMPLATE_PLAIN; kind <= TEMPLATE_PXELINUX; kind++) {
        check_rendering(&client, text, size, kind, ROOM);
        check_rendering(&client, text, size, kind, size / 2);
    }
    for (enum template_kind kind = TEMPLATE_IPXE; kind <= TEMPLATE_PXELINUX; kind++) {
        check_system(&client, text, kind);
    }
    struct system_name asked = system_name_read(text);
    must(asked.kind <= TEMPLATE_PXELINUX);
    (void)template_may_be(text, "menus/52-54.cfg");
    (void)template_may_be("a${mac}b${ip}c", text);
    free(text);
    return 0;
}
