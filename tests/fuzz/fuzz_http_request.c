/*
 * A request for a file by HTTP: its target and its conditions.
 *
 * Five lines: target, Range, If-Range, If-None-Match, If-Modified-Since.
 *
 * Properties: a path has its room, no NUL, and once clean never climbs; the part that is
 * answered lies within the file, of whatever size; each status has the body it is to have.
 */
#include "app/http_answer.h"
#include "tests/fuzz/fuzz.h"
#include "tftp/path.h"

/* A path of at most its room, without a NUL inside, that never climbs once it is clean. */
static void check_path(const struct http_request *q)
{
    char path[HTTP_PATH_SIZE];
    char clean[TFTP_PATH_SIZE];
    char value[32];
    unsigned repairs = 0;
    memset(path, 'x', sizeof path);
    if (http_path(q, path)) {
        struct tftp_text text = {path, strnlen(path, sizeof path)};
        must(text.len < sizeof path && text.len <= strlen(q->target));
        if (tftp_path_clean(text, clean, &repairs) == TFTP_PATH_OK) {
            must(clean[0] != '/' && strcmp(clean, "..") != 0);
            must(!strstr(clean, "/../") && strncmp(clean, "../", 3) != 0);
        }
    }
    if (http_query(q, "mac", value, sizeof value)) {
        must(strnlen(value, sizeof value) < sizeof value);
    }
}

/* Whatever is asked for, the part lies within the file. */
static void check_answer(const struct http_request *q, uint64_t size)
{
    struct stamp f = {.size = size, .written = 1796040000 * NSEC_PER_SEC + 7};
    struct http_answer a = http_answer_new();
    http_answer_file(q, &f, &a);
    must(a.offset <= size && a.len <= size - a.offset);
    must(a.header_count <= HTTP_HEADERS_MAX);
    must(a.status == 200 || a.status == 206 || a.status == 304 || a.status == 416);
    must(a.status != 200 || a.len == size);
    must(a.status != 206 || a.len > 0);
    must(a.status < 300 || a.len == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[4096];
    char *part[5] = {text, NULL, NULL, NULL, NULL};
    unsigned count = 1;
    size_t len = size < sizeof text - 1 ? size : sizeof text - 1;
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
    struct http_request q = {.method = "GET",
                             .target = part[0],
                             .range = part[1],
                             .if_range = part[2],
                             .if_none_match = part[3],
                             .if_modified_since = part[4]};
    check_path(&q);
    check_answer(&q, 0);
    check_answer(&q, 100);
    check_answer(&q, UINT64_MAX);
    return 0;
}
