#include "config/template.h"

#include <stdio.h>
#include <string.h>

#include "common/bytes.h"
#include "common/text.h"

/* -- walking through a template ----------------------------------------------------------- */

/* What stands at one place: literal text, or a variable. */
struct piece {
    bool is_variable;
    size_t offset;
    const char *text; /* literal text, or the text behind ":-" */
    size_t len;
    bool has_default;
    char name[TEMPLATE_NAME_MAX + 1];
};

struct walk {
    const char *text;
    size_t len;
    size_t at;
};

static bool stands(const struct walk *w, size_t at, const char *what)
{
    size_t len = strlen(what);
    return w->len - at >= len && memcmp(w->text + at, what, len) == 0;
}

/* The end of a variable: the offset of its brace, or w->len. */
static size_t find_brace(const struct walk *w, size_t at)
{
    while (at < w->len && w->text[at] != '}' && w->text[at] != '\n') {
        at++;
    }
    return at < w->len && w->text[at] == '}' ? at : w->len;
}

static enum template_fault take_variable(struct walk *w, struct piece *out)
{
    size_t from = w->at + 2;
    size_t end = find_brace(w, from);
    *out = (struct piece){.is_variable = true, .offset = w->at};
    w->at = from;
    if (end == w->len) {
        return TEMPLATE_OPEN;
    }
    w->at = end + 1;
    size_t name = 0;
    while (from + name < end && !stands(w, from + name, ":-")) {
        name++;
    }
    size_t kept = name < TEMPLATE_NAME_MAX ? name : TEMPLATE_NAME_MAX;
    memcpy(out->name, w->text + from, kept);
    if (from + name < end) {
        out->has_default = true;
        out->text = w->text + from + name + 2;
        out->len = end - from - name - 2;
    }
    return name <= TEMPLATE_NAME_MAX ? TEMPLATE_OK : TEMPLATE_UNKNOWN;
}

/* False: the end. */
static bool next_piece(struct walk *w, struct piece *out, enum template_fault *fault)
{
    *fault = TEMPLATE_OK;
    if (w->at == w->len) {
        return false;
    }
    if (stands(w, w->at, "$${")) {
        *out = (struct piece){.offset = w->at, .text = w->text + w->at + 1, .len = 2};
        w->at += 3;
        return true;
    }
    if (stands(w, w->at, "${")) {
        *fault = take_variable(w, out);
        return true;
    }
    size_t from = w->at;
    do {
        w->at++;
    } while (w->at < w->len && !stands(w, w->at, "${") && !stands(w, w->at, "$${"));
    *out = (struct piece){.offset = from, .text = w->text + from, .len = w->at - from};
    return true;
}

static void note_place(const char *text, const struct piece *piece,
                       struct template_place *out)
{
    *out = (struct template_place){.offset = piece->offset, .line = 1, .column = 1};
    for (size_t i = 0; i < piece->offset; i++) {
        out->column++;
        if (text[i] == '\n') {
            out->line++;
            out->column = 1;
        }
    }
    memcpy(out->name, piece->name, sizeof out->name);
}

/* -- at load ------------------------------------------------------------------------------ */

static bool has_name(const struct host_vars *vars, const char *name)
{
    for (size_t i = 0; vars && i < vars->count; i++) {
        if (strcmp(vars->list[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool somebody_sets(const struct snapshot *config, const char *name)
{
    for (size_t i = 0; i < config->profile_count; i++) {
        if (has_name(config->profiles[i].vars, name)) {
            return true;
        }
    }
    for (size_t i = 0; i < hosts_count(config->hosts); i++) {
        if (has_name(hosts_at(config->hosts, i)->vars, name)) {
            return true;
        }
    }
    return false;
}

/* host: NULL: it may be any client's. */
static enum template_fault check_name(const struct snapshot *config,
                                      const struct host *host, const struct piece *piece)
{
    const char *var = variable_is_var(piece->name);
    if (!var && strcmp(piece->name, "http") == 0) {
        return piece->has_default || config->http.boot_files ? TEMPLATE_OK
                                                             : TEMPLATE_NO_HTTP;
    }
    if (!var) {
        return variable_exists(piece->name) ? TEMPLATE_OK : TEMPLATE_UNKNOWN;
    }
    bool set = piece->has_default ||
               (host ? snapshot_var(config, host->profile, host, var) != NULL
                     : somebody_sets(config, var));
    return set ? TEMPLATE_OK : TEMPLATE_NO_VAR;
}

static enum template_fault check_from(const struct snapshot *config,
                                      const struct host *host, const char *text,
                                      size_t len, size_t *from,
                                      struct template_place *out)
{
    struct walk w = {text, len, *from};
    struct piece piece;
    enum template_fault fault;
    while (next_piece(&w, &piece, &fault)) {
        if (fault == TEMPLATE_OK && piece.is_variable) {
            fault = check_name(config, host, &piece);
        }
        if (fault != TEMPLATE_OK) {
            note_place(text, &piece, out);
            *from = w.at;
            return fault;
        }
    }
    *from = len;
    return TEMPLATE_OK;
}

enum template_fault template_check(const struct snapshot *config, const char *text,
                                   size_t len, size_t *from, struct template_place *out)
{
    return check_from(config, NULL, text, len, from, out);
}

enum template_fault template_check_host(const struct snapshot *config,
                                        const struct host *host, const char *text,
                                        struct template_place *out)
{
    size_t from = 0;
    return check_from(config, host, text, strlen(text), &from, out);
}

/* -- escaping ----------------------------------------------------------------------------- */

/* Which quotes are open in a grub.cfg. */
enum quotes { QUOTES_NONE, QUOTES_SINGLE, QUOTES_DOUBLE };

struct render {
    struct wr *out;
    enum template_kind kind;
    enum quotes quotes;
    bool backslash; /* the last octet, and it escapes the next */
};

static void follow_quotes(struct render *r, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (r->backslash) {
            r->backslash = false;
        } else if (c == '\\' && r->quotes != QUOTES_SINGLE) {
            r->backslash = true;
        } else if (c == '\'' && r->quotes != QUOTES_DOUBLE) {
            r->quotes = r->quotes == QUOTES_SINGLE ? QUOTES_NONE : QUOTES_SINGLE;
        } else if (c == '"' && r->quotes != QUOTES_SINGLE) {
            r->quotes = r->quotes == QUOTES_DOUBLE ? QUOTES_NONE : QUOTES_DOUBLE;
        }
    }
}

static void put_grub(struct render *r, const char *value)
{
    const char *special = r->quotes == QUOTES_DOUBLE ? "\\\"$" : "\\\"'$;|&<>{}#";
    for (const char *p = value; *p; p++) {
        if (r->quotes == QUOTES_SINGLE && *p == '\'') {
            wr_put(r->out, "'\\''", 4);
            continue;
        }
        if (r->quotes != QUOTES_SINGLE && strchr(special, *p)) {
            wr_u8(r->out, '\\');
        }
        wr_u8(r->out, (uint8_t)*p);
    }
}

static bool put_value(struct render *r, const char *value)
{
    if (r->kind == TEMPLATE_IPXE && strstr(value, "${")) {
        return false;
    }
    if (r->kind == TEMPLATE_GRUB) {
        put_grub(r, value);
    } else {
        wr_put(r->out, value, strlen(value));
    }
    return true;
}

/* -- for a client ------------------------------------------------------------------------- */

static void put_literal(struct render *r, const char *text, size_t len)
{
    wr_put(r->out, text, len);
    if (r->kind == TEMPLATE_GRUB) {
        follow_quotes(r, text, len);
    }
}

static enum template_fault render_piece(const struct template_client *client,
                                        struct render *r, const struct piece *piece)
{
    char buf[VARIABLE_MAX];
    if (!piece->is_variable) {
        put_literal(r, piece->text, piece->len);
        return TEMPLATE_OK;
    }
    const char *value = variable_value(client, piece->name, buf);
    if (!value && piece->has_default) {
        put_literal(r, piece->text, piece->len); /* the author of the template wrote it */
        return TEMPLATE_OK;
    }
    if (!value) {
        return TEMPLATE_EMPTY;
    }
    return put_value(r, value) ? TEMPLATE_OK : TEMPLATE_UNFIT;
}

enum template_fault template_render(const struct template_client *client,
                                    const struct template_source *from, struct wr *out,
                                    struct template_place *place)
{
    struct render r = {.out = out, .kind = from->kind};
    struct walk w = {from->text, from->len, 0};
    struct piece piece;
    enum template_fault fault;
    while (next_piece(&w, &piece, &fault)) {
        if (fault == TEMPLATE_OK) {
            fault = render_piece(client, &r, &piece);
        }
        if (fault == TEMPLATE_OK && !wr_ok(out)) {
            fault = TEMPLATE_LONG;
        }
        if (fault != TEMPLATE_OK) {
            note_place(from->text, &piece, place);
            return fault;
        }
    }
    return TEMPLATE_OK;
}

/* -- names with variables ----------------------------------------------------------------- */

bool template_is_plain(const char *text)
{
    return !strstr(text, "${");
}

/*
 * A variable stands for one octet or more.  Each literal part is looked for as early as
 * possible, the last one at the end.
 */
bool template_may_be(const char *pattern, const char *name)
{
    struct walk w = {pattern, strlen(pattern), 0};
    struct piece piece;
    enum template_fault fault;
    bool open = false; /* a variable is before this place */
    while (next_piece(&w, &piece, &fault)) {
        if (piece.is_variable) {
            open = true;
            continue;
        }
        size_t left = strlen(name);
        if (open && w.at == w.len) {
            return left > piece.len &&
                   memcmp(name + left - piece.len, piece.text, piece.len) == 0;
        }
        size_t skip = open;
        while (open && skip + piece.len <= left &&
               memcmp(name + skip, piece.text, piece.len) != 0) {
            skip++;
        }
        if (skip + piece.len > left || memcmp(name + skip, piece.text, piece.len) != 0) {
            return false;
        }
        name += skip + piece.len;
        open = false;
    }
    return open ? *name != '\0' : *name == '\0';
}

/* -- words -------------------------------------------------------------------------------- */

char *template_explain(enum template_fault fault, const struct template_place *place,
                       char *buf, size_t size)
{
    char name[TEMPLATE_NAME_MAX * 4 + 8];
    const char *near = variable_nearest(place->name);
    text_show(place->name, strlen(place->name), name, sizeof name);
    switch (fault) {
    case TEMPLATE_OPEN:
        snprintf(buf, size, "\"${\" is not closed on its line; $${ stands for it itself");
        break;
    case TEMPLATE_UNKNOWN:
        snprintf(buf, size, "unknown variable ${%s}%s%s%s", name,
                 near ? "; did you mean ${" : "; write $${ where \"${\" itself is meant",
                 near ? near : "", near ? "}?" : "");
        break;
    case TEMPLATE_NO_VAR:
        snprintf(buf, size, "no host or profile has \"%s\" among its \"vars\"",
                 name + strlen("vars."));
        break;
    case TEMPLATE_NO_HTTP:
        snprintf(buf, size, "${http} needs \"boot_files\" of \"http\" to be true");
        break;
    case TEMPLATE_EMPTY:
        snprintf(buf, size, "${%s} is not known of this client", name);
        break;
    case TEMPLATE_UNFIT:
        snprintf(buf, size, "${%s} cannot be written in this kind of file", name);
        break;
    case TEMPLATE_LONG:
        snprintf(buf, size, "what comes out is too long");
        break;
    default:
        snprintf(buf, size, "good");
        break;
    }
    return buf;
}
