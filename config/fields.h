/*
 * config/fields: how the keys of a JSON object are read, one table row per key.
 *
 *     static const struct field dhcp_fields[] = {
 *         {"enabled", read_bool, offsetof(struct dhcp_conf, enabled)},
 *     };
 *
 * A reader stores its value at dst or complains, and never stops the run: every fault of
 * the file is wanted.  Rows are read in the order of the table, not of the file.
 *
 * Ownership: strings are copied; what was at a char ** before is freed.
 * Errors: faults in reader.faults.  Shell: jansson, malloc.  Private to config/load*.
 */
#ifndef CONFIG_FIELDS_H
#define CONFIG_FIELDS_H

#include <jansson.h>
#include <stdbool.h>

#include "config/faults.h"
#include "config/locate.h"
#include "config/snapshot.h"

/* One run over one text. */
struct reader {
    const char *text; /* comments blanked, so that places are those of the file */
    size_t len;
    struct json_lines lines;
    struct faults *faults;
    struct snapshot *out;
    bool host_file;      /* the text holds hosts and nothing else */
    bool profiles_known; /* false: "profiles" cannot be read, so names prove nothing */
    int32_t default_profile; /* index, or -1 */
};

struct field_set;

struct field {
    const char *key;
    void (*read)(struct reader *r, const struct field *f, const json_t *value,
                 const struct json_path *at, void *dst);
    size_t offset; /* of dst in what the set describes */
    long long min; /* of a number, or octets of a string */
    long long max;
    bool required;
    const struct field_set *inner; /* read_section */
};

struct field_set {
    const struct field *list;
    size_t count;
    bool slots; /* boot slots are keys too, which config/load_boot reads */
};

#define FIELD_SET(rows)                                                                  \
    ((struct field_set){.list = (rows), .count = sizeof(rows) / sizeof(rows)[0]})
#define FIELD_SET_AND_SLOTS(rows)                                                        \
    ((struct field_set){                                                                 \
        .list = (rows), .count = sizeof(rows) / sizeof(rows)[0], .slots = true})

/*
 * Unknown keys, missing ones, and every known one into base.  The number of boot slots among
 * the keys, which are left to the caller.
 */
size_t read_fields(struct reader *r, const struct field_set *set, const json_t *object,
                   const struct json_path *at, void *base);

bool is_known(const struct field_set *set, const char *key);

/* One of these words, its index into an int; a reader's last step. */
void read_word(struct reader *r, const json_t *value, const struct json_path *at,
               const char *const *words, int *dst);

/* Readers; dst: struct of the inner set, bool, uint32_t, char *, struct ip4. */
void read_section(struct reader *r, const struct field *f, const json_t *value,
                  const struct json_path *at, void *dst);
void read_bool(struct reader *r, const struct field *f, const json_t *value,
               const struct json_path *at, void *dst);
void read_u32(struct reader *r, const struct field *f, const json_t *value,
              const struct json_path *at, void *dst);
void read_text(struct reader *r, const struct field *f, const json_t *value,
               const struct json_path *at, void *dst);
void read_ip4(struct reader *r, const struct field *f, const json_t *value,
              const struct json_path *at, void *dst);

/* dst: uint32_t, enum send_ahead: "off", "auto", or a number of blocks. */
void read_send_ahead(struct reader *r, const struct field *f, const json_t *value,
                     const struct json_path *at, void *dst);

/* The string, a view; NULL after a complaint: no string, control characters, length. */
const char *string_of(struct reader *r, const json_t *value, const struct json_path *at,
                      long long min, long long max);

/* Complaints: at the value, at its key, at an offset of the text. */
void complain(struct reader *r, const struct json_path *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void complain_key(struct reader *r, const struct json_path *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void complain_at(struct reader *r, size_t offset, const char *path, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void warn(struct reader *r, const struct json_path *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void no_memory(struct reader *r, const struct json_path *at);

struct json_place place_of(struct reader *r, const struct json_path *at);

/* "a string", "a list"...: what a value is, for complaints. */
const char *json_kind(const json_t *value);

/* The name that was probably meant, or NULL when none is near. */
const char *nearest(const char *word, const char *const *names, size_t count);

#endif
