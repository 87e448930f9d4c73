#include "tftp/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

#include "common/text.h"

#define MSFT_ASKED    31416
#define MSFT_ANSWERED 27182

/* How far the server may move from what the client asked. */
enum rule {
    RULE_LOWER, /* any smaller value in range: RFC 2348, RFC 7440 */
    RULE_EXACT, /* the same value or no answer: RFC 2349 timeout */
    RULE_FIXED, /* one value is asked, another answered: msftwindow */
    RULE_FILE_SIZE, /* the client's value is a placeholder, the server fills it in: RFC 2349 */
};

static const struct spec {
    const char *name;
    uint64_t min;
    uint64_t max; /* a greater value is out of range ... */
    bool
        clamp_max; /* ... or, when set, asks for "as much as you have" and is cut to max */
    enum rule rule;
} specs[TFTP_OPT_COUNT] = {
    [TFTP_BLKSIZE] = {"blksize", 8, 65464, true, RULE_LOWER},
    [TFTP_TIMEOUT] = {"timeout", 1, 255, false, RULE_EXACT},
    [TFTP_TSIZE] = {"tsize", 0, UINT64_MAX, false, RULE_FILE_SIZE},
    [TFTP_WINDOWSIZE] = {"windowsize", 1, 65535, true, RULE_LOWER},
    [TFTP_MSFTWINDOW] = {"msftwindow", MSFT_ASKED, MSFT_ASKED, false, RULE_FIXED},
};

static int find_spec(const char *name)
{
    for (int i = 0; i < TFTP_OPT_COUNT; i++) {
        if (strcasecmp(name, specs[i].name) == 0) {
            return i;
        }
    }
    return -1;
}

static void note(struct tftp_opts *opts, int i, const char *name, const char *value)
{
    uint64_t v;
    if (tftp_opts_has(opts, (enum tftp_opt)i) || !text_decimal(value, &v) ||
        v < specs[i].min) {
        return;
    }
    if (v > specs[i].max) {
        if (!specs[i].clamp_max) {
            return;
        }
        v = specs[i].max;
    }
    opts->val[i] = v;
    opts->name[i] = (struct tftp_text){name, strlen(name)};
    opts->order[opts->count++] = (uint8_t)i;
    opts->has |= 1u << i;
}

struct tftp_opts tftp_opts_parse(struct rd options)
{
    struct tftp_opts opts = {0};
    while (rd_left(&options) > 0) {
        const char *name = rd_cstr(&options);
        const char *value = rd_cstr(&options);
        /* Quirk: HP PA-RISC, Open Firmware: memory garbage fills the request's tail. */
        if (!rd_ok(&options) || name[0] == '\0') {
            break;
        }
        int i = find_spec(name);
        if (i >= 0) {
            note(&opts, i, name, value);
        }
    }
    return opts;
}

/* 0: the option stays unanswered. */
static bool settle(const struct tftp_opts *ask, enum tftp_opt i,
                   const struct tftp_limits *limits, uint64_t file_size, uint64_t *value)
{
    uint64_t limit = i == TFTP_BLKSIZE      ? limits->max_block_size
                     : i == TFTP_WINDOWSIZE ? limits->max_window_size
                                            : 0;
    switch (specs[i].rule) {
    case RULE_FILE_SIZE:
        *value = file_size;
        return file_size != UINT64_MAX;
    case RULE_LOWER:
        if (limit != 0 && *value > limit) {
            *value = limit;
        }
        return true;
    case RULE_FIXED:
        *value = MSFT_ANSWERED;
        return limits->msft_window && tftp_opts_has(ask, TFTP_WINDOWSIZE);
    case RULE_EXACT:
    default:
        return true;
    }
}

struct tftp_opts tftp_opts_agree(const struct tftp_opts *ask,
                                 const struct tftp_limits *limits, uint64_t file_size)
{
    struct tftp_opts out = {0};
    for (unsigned n = 0; n < ask->count; n++) {
        enum tftp_opt i = (enum tftp_opt)ask->order[n];
        uint64_t v = ask->val[i];
        if (settle(ask, i, limits, file_size, &v)) {
            out.val[i] = v;
            out.name[i] = ask->name[i];
            out.order[out.count++] = (uint8_t)i;
            out.has |= 1u << i;
        }
    }
    return out;
}

void tftp_opts_write(const struct tftp_opts *opts, struct wr *w)
{
    wr_u16(w, TFTP_OACK);
    for (unsigned n = 0; n < opts->count; n++) {
        unsigned i = opts->order[n];
        char digits[21]; /* UINT64_MAX has 20 */
        snprintf(digits, sizeof digits, "%" PRIu64, opts->val[i]);
        wr_put(w, opts->name[i].at, opts->name[i].len);
        wr_u8(w, 0);
        wr_cstr(w, digits);
    }
}
