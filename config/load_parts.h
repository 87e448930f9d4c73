/*
 * config/load_parts: the sections of the configuration that have files of their own.
 *
 * Read in this order: profiles, hosts, unknown hosts; what is not in the file is read as
 * NULL.  Private to config/load*.
 */
#ifndef CONFIG_LOAD_PARTS_H
#define CONFIG_LOAD_PARTS_H

#include "config/fields.h"

#define DEFAULT_PROFILE "default"
#define NAME_LEN_MAX    63 /* octets of the name of a profile or host */

void read_profiles(struct reader *r, const struct field *f, const json_t *value,
                   const struct json_path *at, void *dst);
void read_hosts(struct reader *r, const struct field *f, const json_t *value,
                const struct json_path *at, void *dst);
void read_unknown_hosts(struct reader *r, const struct field *f, const json_t *value,
                        const struct json_path *at, void *dst);

/* All hosts of a file of their own: one, or a list of them. */
void read_host_file(struct reader *r, const json_t *root);

/* The index of the profile of this name, or -1. */
int32_t find_profile(const struct snapshot *s, const char *name);

/* dst: int32_t, the index of the profile of this name; -1 stays after a complaint. */
void read_profile_name(struct reader *r, const struct field *f, const json_t *value,
                       const struct json_path *at, void *dst);

/* config/load_vars.c.  dst: struct host_vars *; NULL stays when there is none. */
void read_vars(struct reader *r, const struct field *f, const json_t *value,
               const struct json_path *at, void *dst);

/* config/load_system.c: a name beneath tftp.root of at most so many octets, and its place. */
void read_system_file(struct reader *r, const json_t *value, const struct json_path *at,
                      size_t most, struct system_file *out);

/* config/load_system.c.  dst: struct system_conf *; NULL stays after a complaint. */
void read_system(struct reader *r, const struct field *f, const json_t *value,
                 const struct json_path *at, void *dst);

/*
 * Who says what is booted and names no "ipxe" entry gives an iPXE the script made of it: an
 * entry like another, which those that stand on it inherit.
 */
void add_system_script(struct reader *r, const struct json_path *at,
                       const struct system_conf *system, struct boot_entry *ipxe);

/* config/load_subnets.c.  An address of either family; an IPv4 one as ::ffff:a.b.c.d. */
bool any_ip_parse(const char *text, size_t len, uint8_t out[16]);
/* "10.0.0.0/24", "fd00::/8" or an address alone. */
bool any_subnet_parse(const char *text, struct subnet *out);
/* A list of them; "attached" among them sets *attached, which NULL forbids. */
void read_subnets(struct reader *r, const json_t *value, const struct json_path *at,
                  struct subnets *out, bool *attached);
/* dst: struct tftp_allow. */
void read_allow(struct reader *r, const struct field *f, const json_t *value,
                const struct json_path *at, void *dst);

/* config/load_options.c.  dst: struct raw_options *; struct system_file. */
void read_options(struct reader *r, const struct field *f, const json_t *value,
                  const struct json_path *at, void *dst);
void read_directory(struct reader *r, const struct field *f, const json_t *value,
                    const struct json_path *at, void *dst);

/* config/load_match.c.  dst: struct host, whose `match` they make as needed. */
void read_vendor_class(struct reader *r, const struct field *f, const json_t *value,
                       const struct json_path *at, void *dst);
void read_user_class(struct reader *r, const struct field *f, const json_t *value,
                     const struct json_path *at, void *dst);
void read_circuit_id(struct reader *r, const struct field *f, const json_t *value,
                     const struct json_path *at, void *dst);
void read_arch(struct reader *r, const struct field *f, const json_t *value,
               const struct json_path *at, void *dst);
void read_relay(struct reader *r, const struct field *f, const json_t *value,
                const struct json_path *at, void *dst);
void read_interface_of_host(struct reader *r, const struct field *f, const json_t *value,
                            const struct json_path *at, void *dst);

/* Something names the machine, and every key that does could be read. */
bool host_is_clear(const json_t *object, const struct host *host);

/* Two hexadecimal digits. */
bool hex_octet(const char *text, uint8_t *out);
/* As many as the digits make; their number, or SIZE_MAX. */
size_t hex_octets(const char *text, size_t len, uint8_t *out);

/* config/load_menu.c.  dst: struct menu *; NULL stays after a complaint. */
void read_menu(struct reader *r, const struct field *f, const json_t *value,
               const struct json_path *at, void *dst);

/*
 * config/load_boot.c.  The boot slots among the keys of an object; `set` has its other keys.
 * Only entries that could be read are set, and of them file, line and column.
 */
void read_boot_entries(struct reader *r, const struct field_set *set,
                       const json_t *object, const struct json_path *at,
                       struct boot_entry boot[SLOT_COUNT]);

/* config/load_own.c.  dst: struct repeat_conf. */
void read_repeat(struct reader *r, const struct field *f, const json_t *value,
                 const struct json_path *at, void *dst);

/* dst: struct host_own. */
void read_own_repeat(struct reader *r, const struct field *f, const json_t *value,
                     const struct json_path *at, void *dst);
void read_own_msft_window(struct reader *r, const struct field *f, const json_t *value,
                          const struct json_path *at, void *dst);

/* What was read of a host's own words, and the number of boot slots among its keys. */
struct own_draft {
    struct host_own own;
    const struct field_set *set; /* the host's other keys */
    size_t slots;
};

/* Takes what the draft owns.  NULL: the host says nothing of this, or memory is out. */
struct host_own *read_own(struct reader *r, struct own_draft *d, const json_t *object,
                          const struct json_path *at);

/* dst: enum offer_form. */
void read_offer(struct reader *r, const struct field *f, const json_t *value,
                const struct json_path *at, void *dst);

/* Rows for the keys of a struct answer_conf that stands at offset `base`. */
#define ANSWER_FIELD(base, member) ((base) + offsetof(struct answer_conf, member))
#define ANSWER_FIELDS(base)                                                              \
    {.key = "offer", .read = read_offer, .offset = ANSWER_FIELD(base, offer)},           \
        {.key = "next_server",                                                           \
         .read = read_ip4,                                                               \
         .offset = ANSWER_FIELD(base, next_server)},                                     \
        {.key = "ipxe_override",                                                         \
         .read = read_bool,                                                              \
         .offset = ANSWER_FIELD(base, ipxe_override)},                                   \
        {.key = "delay_ms",                                                              \
         .read = read_u32,                                                               \
         .max = 10000,                                                                   \
         .offset = ANSWER_FIELD(base, delay_ms)},                                        \
    {                                                                                    \
        .key = "after_requests", .read = read_u32, .min = 1, .max = 100,                 \
        .offset = ANSWER_FIELD(base, after_requests)                                     \
    }

/* SAYS_... of the keys that the object holds. */
uint32_t answer_said(const json_t *object);

/* config/load_log.c.  dst: struct log_conf. */
void read_log(struct reader *r, const struct field *f, const json_t *value,
              const struct json_path *at, void *dst);

/* config/load_http.c.  What holds when nothing is said, then what is; dst: struct http_conf. */
void http_conf_init(struct http_conf *http);
void read_http(struct reader *r, const struct field *f, const json_t *value,
               const struct json_path *at, void *dst);

/* config/load_files.c. */
void read_files(struct reader *r, const struct field *f, const json_t *value,
                const struct json_path *at, void *dst);

/* NULL, or why this cannot be what a client of this slot loads.  http: files come by HTTP too. */
const char *boot_file_objection(const char *file, unsigned slot, bool http);

#endif
