/*
 * The file in which machines are remembered, when it is not as we left it: rows of any type and
 * content, or octets that are no such file at all.
 *
 * The first octet: rows, or a file.
 *
 * Properties: opening gives 0 or a code with words; each row that is handed over has a MAC that
 * was in the file; what is written is read again as it was, in a file made anew if it was taken away;
 * pruning leaves all marks, and no
 * more of the others than it was asked to.
 */
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include "app/state_db.h"
#include "tests/fuzz/fuzz.h"

#define ROWS 24

struct rows {
    struct state_row row[ROWS];
    size_t count;
};

static char path[] = "/dev/shm/pxed-fuzz-XXXXXX";

static void clean_up(void)
{
    char name[sizeof path + 8];
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        (void)unlink(name);
    }
}

static void on_row(void *context, const struct state_row *row)
{
    struct rows *rows = context;
    if (rows->count < ROWS) {
        rows->row[rows->count++] = *row;
    }
}

static struct state_db *open_db(struct rows *rows, int *code)
{
    struct state_db *db = NULL;
    rows->count = 0;
    *code = state_db_open(path, &db, on_row, rows);
    must(db != NULL && (*code == 0 || state_db_explain(*code)[0] != '\0'));
    return db;
}

/* -- a file of somebody else's ------------------------------------------------------------ */

static void any_file(struct rd octets)
{
    struct rows rows;
    int code;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t len = rd_left(&octets);
    must(fd >= 0 && write(fd, octets.p, len) == (ssize_t)len && close(fd) == 0);
    state_db_close(open_db(&rows, &code));
}

/* -- rows --------------------------------------------------------------------------------- */

static void bind(sqlite3_stmt *s, int column, struct rd *in)
{
    struct rd octets;
    switch (fuzz_below(in, 5)) {
    case 0:
        octets = fuzz_octets(in, 40);
        (void)sqlite3_bind_text(s, column, (const char *)octets.p, (int)rd_left(&octets),
                                SQLITE_TRANSIENT);
        break;
    case 1:
        octets = fuzz_octets(in, 40);
        (void)sqlite3_bind_blob(s, column, octets.p, (int)rd_left(&octets),
                                SQLITE_TRANSIENT);
        break;
    case 2:
        (void)sqlite3_bind_double(s, column, (double)fuzz_u64(in) / 3);
        break;
    case 3:
        (void)sqlite3_bind_int64(s, column, (sqlite3_int64)fuzz_u64(in));
        break;
    default:
        (void)sqlite3_bind_int(s, column, rd_u8(in) & 1);
        break;
    }
}

/* Past our own code, as somebody with sqlite3(1) would. */
static void put_rows(struct rd *in)
{
    sqlite3 *sql = NULL;
    sqlite3_stmt *s = NULL;
    must(sqlite3_open(path, &sql) == SQLITE_OK);
    must(sqlite3_prepare_v2(sql,
                            "INSERT OR REPLACE INTO machine VALUES (?, ?, ?, ?, ?, ?)",
                            -1, &s, NULL) == SQLITE_OK);
    for (unsigned i = 0; rd_left(in) > 0 && i < ROWS; i++) {
        const struct mac mac = {{2, 0, 0, 0, 0, rd_u8(in)}};
        char text[MAC_TEXT];
        for (int column = 1; column <= 6; column++) {
            bind(s, column, in);
        }
        if (mac.octet[5] & 1) {
            (void)sqlite3_bind_text(s, 1, mac_print(&mac, text), -1, SQLITE_TRANSIENT);
        }
        (void)sqlite3_step(s);
        (void)sqlite3_reset(s);
    }
    (void)sqlite3_finalize(s);
    must(sqlite3_close(sql) == SQLITE_OK);
}

static size_t count_marks(const struct rows *rows)
{
    size_t marks = 0;
    for (size_t i = 0; i < rows->count; i++) {
        marks += rows->row[i].state.approved || rows->row[i].state.done;
    }
    return marks;
}

static const struct state_row *row_of(const struct rows *rows, const struct mac *mac)
{
    for (size_t i = 0; i < rows->count; i++) {
        if (mac_equal(&rows->row[i].mac, mac)) {
            return &rows->row[i];
        }
    }
    return NULL;
}

static void check_same(const struct rows *before, const struct rows *after)
{
    for (size_t i = 0; i < before->count; i++) {
        const struct host_state *a = &before->row[i].state;
        const struct state_row *again = row_of(after, &before->row[i].mac);
        must(again != NULL);
        const struct host_state *b = &again->state;
        must(a->approved == b->approved && a->done == b->done);
        must(a->has_arch == b->has_arch && (!a->has_arch || a->arch == b->arch));
        must(a->first_seen == b->first_seen && a->last_seen == b->last_seen);
    }
}

static void any_rows(struct rd *in)
{
    static struct rows first;
    static struct rows second;
    int code;
    bool anew;
    size_t keep = fuzz_below(in, 4);
    state_db_close(open_db(&first, &code));
    must(code == 0 && first.count == 0);
    put_rows(in);
    struct state_db *db = open_db(&first, &code);
    must(code == 0);
    clean_up(); /* the file is taken away */
    must(state_db_write(db, first.row, first.count, &anew) == 0 && anew);
    must(state_db_write(db, first.row, first.count, &anew) == 0 && !anew);
    state_db_close(db);
    db = open_db(&second, &code);
    must(code == 0);
    check_same(&first, &second);
    size_t marks = count_marks(&second);
    must(state_db_prune(db, keep) == 0);
    state_db_close(db);
    state_db_close(open_db(&first, &code));
    must(code == 0 && count_marks(&first) == marks);
    must(first.count - marks <= keep || first.count == ROWS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool named;
    struct rd in = rd_over(data, size);
    if (!named) {
        int fd = mkstemp(path);
        must(fd >= 0 && close(fd) == 0);
        named = true;
        (void)atexit(clean_up);
    }
    clean_up();
    if (rd_u8(&in) & 1) {
        any_file(in);
    } else {
        any_rows(&in);
    }
    return 0;
}
