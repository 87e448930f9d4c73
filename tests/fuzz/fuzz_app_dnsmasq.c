/*
 * `pxed import dnsmasq`: files of another server, cut at each octet 0xff.
 *
 * Properties: any text is read; what comes of it is a configuration that our own loader takes;
 * each note has words and a line of its file; the notes of what was lost are counted.
 */
#include "app/dnsmasq.h"
#include "config/load.h"
#include "tests/fuzz/fuzz.h"

static size_t lines_of(struct rd text)
{
    size_t lines = 1;
    for (const uint8_t *p = text.p; p < text.end; p++) {
        lines += *p == '\n';
    }
    return lines;
}

static void check_notes(const struct dnsmasq *d, size_t lines)
{
    size_t lost = 0;
    for (size_t i = 0; i < d->notes; i++) {
        must(d->note[i].text[0] != '\0' && d->note[i].line <= lines);
        must(strnlen(d->note[i].text, sizeof d->note[i].text) < sizeof d->note[i].text);
        lost += d->note[i].grade == DNSMASQ_LOST;
    }
    must(lost == d->lost);
}

static void check_config(json_t *config)
{
    char *text = json_dumps(config, JSON_INDENT(2));
    must(text != NULL);
    struct faults faults = {0};
    struct snapshot *s = config_load(text, strlen(text), &faults);
    for (size_t i = 0; i < faults.count && !s; i++) {
        fprintf(stderr, "%s: %s\n", faults.list[i].path, faults.list[i].text);
    }
    must(s != NULL);
    faults_done(&faults);
    snapshot_free(s);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dnsmasq d = {0};
    struct rd in = rd_over(data, size);
    size_t lines = 1;
    bool good = true;
    while (good && rd_left(&in) > 0) {
        const uint8_t *cut = memchr(in.p, 0xff, rd_left(&in));
        struct rd text = rd_sub(&in, cut ? (size_t)(cut - in.p) : rd_left(&in));
        uint8_t *exact = fuzz_exact(text);
        size_t here = lines_of(text);
        lines = here > lines ? here : lines;
        good = dnsmasq_read(&d, "dnsmasq.conf", (const char *)exact, rd_left(&text));
        free(exact);
        (void)rd_u8(&in);
    }
    must(good && dnsmasq_convert(&d));
    check_notes(&d, lines);
    must(json_is_object(d.config));
    check_config(d.config);
    dnsmasq_done(&d);
    return 0;
}
