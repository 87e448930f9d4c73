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

/* dst: int32_t, the index of the profile of this name; -1 stays after a complaint. */
void read_profile_name(struct reader *r, const struct field *f, const json_t *value,
                       const struct json_path *at, void *dst);

/* config/load_vars.c.  dst: struct host_vars *; NULL stays when there is none. */
void read_vars(struct reader *r, const struct field *f, const json_t *value,
               const struct json_path *at, void *dst);

/* config/load_files.c. */
void read_files(struct reader *r, const struct field *f, const json_t *value,
                const struct json_path *at, void *dst);

/* NULL, or why this cannot be what a client of this slot loads. */
const char *boot_file_objection(const char *file, unsigned slot);

#endif
