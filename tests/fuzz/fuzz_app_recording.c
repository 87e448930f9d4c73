/*
 * `pxed explain --pcap`: recordings (pcap, pcapng) of whatever link type, and the judgement on
 * each request in them.
 *
 * Properties: any octets are a recording, or refused with words; packets come in order and lie
 * within the recording; a recording ends, or is broken with words; each request has an outcome
 * that can be printed, as text of plain lines and as a JSON document that can be read again.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "app/explain_v4.h"
#include "app/explain_v6.h"
#include "app/recording.h"
#include "dhcp/reply.h"
#include "tests/fuzz/fuzz.h"

static const char json[] =
    "{\"interfaces\": [\"eth0\"], \"tftp\": {\"enabled\": false}, \"profiles\": {"
    "\"default\": {\"x86-bios\": \"a\", \"x64-uefi\": \"b\", \"ipxe\": \"f\","
    "\"x64-uefi-http\": \"http://[fd77::2]/d\", \"menu\": {\"items\": ["
    "{\"name\": \"disk\", \"action\": \"local\"}, {\"name\": \"one\", \"file\": "
    "\"g\"}]}}}}";

struct judges {
    struct configuration config;
    struct explain4 *v4;
    struct explain6 *v6;
    FILE *text;
    char *printed;
    size_t len;
};

static void print(struct judges *j, const struct explained *e)
{
    must(e->sentence[0] != '\0' && fuzz_is_plain(e->sentence));
    must(e->reply_count <= 2 && fuzz_is_plain(e->who));
    rewind(j->text);
    explain_text(e, j->text);
    must(fflush(j->text) == 0);
    for (size_t i = 0; i < j->len; i++) {
        must(j->printed[i] == '\n' || (uint8_t)j->printed[i] >= 0x20);
    }
    json_t *document = explain_json(e);
    char *text = json_dumps(document, JSON_COMPACT);
    json_t *again = text ? json_loads(text, 0, NULL) : NULL;
    must(again != NULL && json_equal(again, document));
    json_decref(again);
    json_decref(document);
    free(text);
}

static bool judge(struct judges *j, const struct recorded *p, struct explained *e)
{
    if (p->ipv6) {
        const struct frame6 *f = &p->frame6;
        const struct dhcp6_arrival at = {.port = f->to_port,
                                         .from = f->ip_from,
                                         .from_port = f->from_port,
                                         .to = f->ip_to};
        return explain6_judge(j->v6, &at, f->payload, p->time, e);
    }
    const struct frame *f = &p->frame;
    const struct dhcp_arrival at = {f->to_port, f->ip_from, f->from_port};
    return explain4_judge(j->v4, &at, f->payload, p->time, e);
}

static void see(struct judges *j, const struct recorded *p, uint64_t *last)
{
    struct explained e;
    must(p->number > *last);
    *last = p->number;
    if (p->to_port == RECORDING_TFTP) {
        explain4_loads(j->v4, p->ipv6 ? &p->frame6.from : &p->frame.from, p->time);
    } else if (judge(j, p, &e)) {
        e.packet = p->number;
        e.time = p->time;
        print(j, &e);
    }
}

static void replay(struct judges *j, const char *path)
{
    char why[RECORDING_WHY_SIZE] = "";
    struct recorded packet;
    uint64_t last = 0;
    int status;
    struct recording *r = recording_open(path, why);
    if (!r) {
        must(why[0] != '\0');
        return;
    }
    why[0] = '\0';
    while ((status = recording_next(r, &packet, why)) == 1) {
        see(j, &packet, &last);
    }
    must(status == 0 || (status == -1 && why[0] != '\0'));
    recording_close(r);
}

static struct judges *judges(void)
{
    static struct judges j;
    if (!j.text) {
        j.config.path = strdup("pxed.json");
        j.config.snapshot = fuzz_config(json);
        j.text = open_memstream(&j.printed, &j.len);
        must(j.text != NULL);
    }
    return &j;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct judges *j = judges();
    char path[40];
    int fd = memfd_create("recording", MFD_CLOEXEC);
    must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    j->v4 = explain4_new(&j->config, "eth0", (struct ip4){{10, 0, 0, 1}});
    j->v6 = explain6_new(&j->config, "eth0");
    must(j->v4 != NULL && j->v6 != NULL);
    replay(j, path);
    explain4_free(j->v4);
    explain6_free(j->v6);
    (void)close(fd);
    return 0;
}
