/* "log": in which form lines are written, and which. */
#include "config/fields.h"
#include "config/load_parts.h"

static void read_form(struct reader *r, const struct field *f, const json_t *value,
                      const struct json_path *at, void *dst)
{
    static const char *const words[] = {
        [LOG_AUTO] = "auto",
        [LOG_AS_TEXT] = "text",
        [LOG_AS_JSON] = "json",
        [LOG_AS_JOURNAL] = "journal",
        NULL,
    };
    enum log_form *form = dst;
    int word = (int)*form;
    (void)f;
    read_word(r, value, at, words, &word);
    *form = (enum log_form)word;
}

static void read_level(struct reader *r, const struct field *f, const json_t *value,
                       const struct json_path *at, void *dst)
{
    static const char *const words[] = {
        [LOG_ERROR] = "error",
        [LOG_WARNING] = "warning",
        [LOG_INFO] = "info",
        [LOG_DEBUG] = "debug",
        NULL,
    };
    enum log_level *level = dst;
    int word = (int)*level;
    (void)f;
    read_word(r, value, at, words, &word);
    *level = (enum log_level)word;
}

void read_log(struct reader *r, const struct field *f, const json_t *value,
              const struct json_path *at, void *dst)
{
    static const struct field rows[] = {
        {.key = "format", .read = read_form, .offset = offsetof(struct log_conf, form)},
        {.key = "level", .read = read_level, .offset = offsetof(struct log_conf, level)},
    };
    const struct field_set set = FIELD_SET(rows);
    const struct field section = {.key = f->key, .inner = &set};
    read_section(r, &section, value, at, dst);
}
