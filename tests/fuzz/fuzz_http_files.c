/*
 * GET of boot files: targets and header fields of any client, on a real directory.
 *
 * Five lines: target, Range, If-Range, If-None-Match, If-Modified-Since.
 *
 * Properties: what is opened is one of the regular files beneath the root that may be read,
 * never a FIFO, a directory, a link that leads out, or what lies beside the root; the part
 * lies within the file; an answer without a file has a sentence and no octets; 200 and 206 are
 * of a file alone; each descriptor is closed at the end.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/http_files.h"
#include "tests/fuzz/fuzz.h"

static char folder[] = "/tmp/pxed-fuzz-XXXXXX";
static struct http_files *files;
static dev_t device;
static ino_t good[4];
static size_t good_count;

/* In the folder; good until the next call. */
static const char *at(const char *name)
{
    static char path[sizeof folder + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put(const char *name, const char *text, bool is_good)
{
    struct stat st;
    FILE *f = fopen(at(name), "we");
    must(f && fputs(text, f) >= 0 && fclose(f) == 0);
    must(chmod(at(name), 0644) == 0 && stat(at(name), &st) == 0);
    if (is_good) {
        device = st.st_dev;
        good[good_count++] = st.st_ino;
    }
}

static void clean_up(void)
{
    static const char *const names[] = {"root/a/b.efi",   "root/a/out",    "root/a",
                                        "root/fifo",      "root/boot.wim", "root/empty",
                                        "root/Mixed.CFG", "root",          "root2/secret",
                                        "root2",          "secret",        ""};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)remove(at(names[i]));
    }
}

static void make_folder(const char *name)
{
    must(mkdir(at(name), 0755) == 0 && chmod(at(name), 0755) == 0);
}

static void set_up(void)
{
    static const struct tftp_hooks hooks;
    must(mkdtemp(folder) != NULL);
    make_folder("root");
    make_folder("root/a");
    make_folder("root2");
    put("secret", "beside the root", false);
    put("root2/secret", "beside the root", false);
    put("root/boot.wim", "0123456789", true);
    put("root/a/b.efi", "MZ and more than that", true);
    put("root/Mixed.CFG", "default", true);
    put("root/empty", "", true);
    must(symlink("../../secret", at("root/a/out")) == 0);
    must(mkfifo(at("root/fifo"), 0644) == 0);
    must(http_files_open(at("root"), &hooks, &files) == 0);
    (void)atexit(clean_up);
}

static void check_file(const struct http_answer *a)
{
    struct stat st;
    bool known = false;
    must(fstat(a->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_dev == device);
    for (size_t i = 0; i < good_count; i++) {
        known |= good[i] == st.st_ino;
    }
    must(known);
    must(a->offset <= (uint64_t)st.st_size);
    must(a->len <= (uint64_t)st.st_size - a->offset);
}

static void check(const struct http_request *q)
{
    struct http_answer a = http_answer_new();
    struct http_transfer begun;
    char path[HTTP_PATH_SIZE];
    if (!http_path(q, path)) {
        return;
    }
    http_files_answer(files, q, path, &a, &begun);
    while (a.quest) {
        http_files_look(a.quest);
        http_files_go_on(files, q, &a, &begun);
    }
    must(a.status >= 200 && a.status < 600 && a.header_count <= HTTP_HEADERS_MAX);
    must(!a.octets && strnlen(a.text, sizeof a.text) < sizeof a.text);
    if (a.fd >= 0) {
        check_file(&a);
        (void)close(a.fd);
    } else {
        must((a.status != 200 && a.status != 206) || a.len == 0);
    }
    must((a.transfer != NULL) == (a.fd >= 0 && a.len > 0));
    if (a.transfer) {
        must(fuzz_is_plain(begun.shown) && begun.from + begun.len <= begun.size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[4096];
    char *part[5] = {text, NULL, NULL, NULL, NULL};
    unsigned count = 1;
    size_t len = size < sizeof text - 1 ? size : sizeof text - 1;
    if (!files) {
        set_up();
    }
    memcpy(text, data, len);
    text[len] = '\0';
    for (char *p = text; *p; p++) {
        if (*p == '\n') {
            *p = '\0';
            if (count < 5) {
                part[count++] = p + 1;
            }
        }
    }
    const struct http_request q = {
        .method = "GET",
        .target = part[0],
        .range = part[1],
        .if_range = part[2],
        .if_none_match = part[3],
        .if_modified_since = part[4],
        .peer = endpoint_ip4((struct ip4){{10, 0, 0, 7}}, 40000),
        .local = endpoint_ip4((struct ip4){{10, 0, 0, 1}}, 8069),
    };
    check(&q);
    return 0;
}
