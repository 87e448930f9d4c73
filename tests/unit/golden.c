#include "tests/unit/golden.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/load.h"

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

void golden_list(const char *folder, struct golden_cases *out)
{
    DIR *dir = opendir(folder);
    out->count = 0;
    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        size_t len = strlen(e->d_name);
        if (len > 7 && !strcmp(e->d_name + len - 7, ".golden") &&
            out->count < GOLDEN_CASES) {
            memcpy(out->name[out->count++], e->d_name, len + 1);
        }
    }
    if (dir) {
        (void)closedir(dir);
    }
    qsort(out->name, (size_t)out->count, sizeof out->name[0], by_name);
}

size_t golden_read(const char *folder, const char *name, char text[GOLDEN_TEXT])
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "re");
    ck_assert_msg(f != NULL, "%s cannot be read", path);
    size_t len = fread(text, 1, GOLDEN_TEXT - 1, f);
    (void)fclose(f);
    text[len] = '\0';
    return len;
}

size_t golden_request(const char *folder, const char *name, uint8_t out[1500])
{
    static char text[GOLDEN_TEXT];
    size_t n = 0;
    (void)golden_read(folder, name, text);
    for (const char *p = text; p[0] && p[1] && p[0] != '\n' && n < 1500; p += 2) {
        char octet[3] = {p[0], p[1], 0};
        out[n++] = (uint8_t)strtoul(octet, NULL, 16);
    }
    return n;
}

struct snapshot *golden_config(const char *text, const char **want)
{
    struct faults faults = {0};
    const char *config = strstr(text, "\nconfig ");
    ck_assert_msg(config != NULL, "the case has no configuration");
    config += strlen("\nconfig ");
    struct snapshot *s = config_load(config, strcspn(config, "\n"), &faults);
    ck_assert_msg(s != NULL, "%s", faults.count ? faults.list[0].text : "no memory");
    faults_done(&faults);
    *want = strstr(config, "\n\n");
    *want = *want ? *want + 2 : "";
    return s;
}

static void record(const char *folder, const char *name, const char *text,
                   const char *want, const char *got)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "we");
    ck_assert_ptr_nonnull(f);
    size_t head = *want ? (size_t)(want - text) : strlen(text);
    fprintf(f, "%.*s%s%s", (int)head, text, *want ? "" : "\n", got);
    (void)fclose(f);
}

void golden_check(const char *folder, const char *name, const char *text,
                  const char *want, const char *got)
{
    if (getenv("GOLDEN_ACCEPT")) {
        record(folder, name, text, want, got);
        return;
    }
    ck_assert_msg(!strcmp(got, want), "%s\n--- want\n%s--- got\n%s", name, want, got);
}
