#include "app/state_db.h"

#include <sqlite3.h>
#include <stdlib.h>

#define PATIENCE_MSEC 500 /* somebody looks into it */

struct state_db {
    sqlite3 *sql;
    sqlite3_stmt *write;
    sqlite3_stmt *prune;
};

static const char schema[] =
    "PRAGMA temp_store = MEMORY;" /* other directories may be out of reach */
    "PRAGMA journal_mode = WAL;"
    "PRAGMA synchronous = FULL;"
    "CREATE TABLE IF NOT EXISTS machine ("
    " mac TEXT PRIMARY KEY, approved INTEGER NOT NULL, done INTEGER NOT NULL,"
    " arch INTEGER, first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL"
    ") WITHOUT ROWID;"
    "PRAGMA user_version = 1;";

static const char write_row[] =
    "INSERT INTO machine (mac, approved, done, arch, first_seen, last_seen)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (mac) DO UPDATE SET"
    " approved = ?2, done = ?3, arch = ?4, first_seen = ?5, last_seen = ?6";

static const char read_rows[] = "SELECT mac, approved, done, arch, first_seen, last_seen"
                                " FROM machine ORDER BY last_seen";

static const char prune_rows[] =
    "DELETE FROM machine WHERE NOT approved AND NOT done AND mac NOT IN (SELECT mac FROM"
    " machine WHERE NOT approved AND NOT done ORDER BY last_seen DESC LIMIT ?1)";

static bool take_row(sqlite3_stmt *at, struct state_row *out)
{
    const char *mac = (const char *)sqlite3_column_text(at, 0);
    *out =
        (struct state_row){.state = {
                               .approved = sqlite3_column_int(at, 1) != 0,
                               .done = sqlite3_column_int(at, 2) != 0,
                               .has_arch = sqlite3_column_type(at, 3) == SQLITE_INTEGER,
                               .arch = (uint16_t)sqlite3_column_int(at, 3),
                               .first_seen = sqlite3_column_int64(at, 4),
                               .last_seen = sqlite3_column_int64(at, 5),
                           }};
    return mac && mac_parse(mac, &out->mac);
}

static int read_all(struct state_db *db,
                    void (*row)(void *context, const struct state_row *row),
                    void *context)
{
    sqlite3_stmt *at = NULL;
    int code = sqlite3_prepare_v2(db->sql, read_rows, -1, &at, NULL);
    while (code == SQLITE_OK && (code = sqlite3_step(at)) == SQLITE_ROW) {
        struct state_row one;
        if (take_row(at, &one)) {
            row(context, &one);
        }
        code = SQLITE_OK;
    }
    (void)sqlite3_finalize(at);
    return code == SQLITE_DONE ? 0 : code;
}

static void disconnect(struct state_db *db)
{
    (void)sqlite3_finalize(db->write);
    (void)sqlite3_finalize(db->prune);
    (void)sqlite3_close(db->sql);
}

static int connect_to(const char *path, struct state_db *db)
{
    int code =
        sqlite3_open_v2(path, &db->sql, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_busy_timeout(db->sql, PATIENCE_MSEC);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_exec(db->sql, schema, NULL, NULL, NULL);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_prepare_v2(db->sql, write_row, -1, &db->write, NULL);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_prepare_v2(db->sql, prune_rows, -1, &db->prune, NULL);
    }
    return code;
}

int state_db_open(const char *path, struct state_db **out,
                  void (*row)(void *context, const struct state_row *row), void *context)
{
    struct state_db *db = calloc(1, sizeof *db);
    *out = db;
    if (!db) {
        return SQLITE_NOMEM;
    }
    int code = connect_to(path, db);
    return code == SQLITE_OK ? read_all(db, row, context) : code;
}

void state_db_close(struct state_db *db)
{
    if (db) {
        disconnect(db);
        free(db);
    }
}

/* SQLite would go on writing to a file that has no name any more. */
static bool is_gone(const struct state_db *db)
{
    int moved = 0;
    return sqlite3_file_control(db->sql, NULL, SQLITE_FCNTL_HAS_MOVED, &moved) == 0 &&
           moved != 0;
}

static int make_anew(struct state_db *db)
{
    struct state_db fresh = {.sql = NULL};
    int code = connect_to(sqlite3_db_filename(db->sql, NULL), &fresh);
    struct state_db old = code == SQLITE_OK ? *db : fresh;
    if (code == SQLITE_OK) {
        *db = fresh;
    }
    disconnect(&old);
    return code;
}

static int write_one(struct state_db *db, const struct state_row *row)
{
    char mac[MAC_TEXT];
    const struct host_state *s = &row->state;
    (void)sqlite3_bind_text(db->write, 1, mac_print(&row->mac, mac), -1,
                            SQLITE_TRANSIENT);
    (void)sqlite3_bind_int(db->write, 2, s->approved);
    (void)sqlite3_bind_int(db->write, 3, s->done);
    if (s->has_arch) {
        (void)sqlite3_bind_int(db->write, 4, s->arch);
    } else {
        (void)sqlite3_bind_null(db->write, 4);
    }
    (void)sqlite3_bind_int64(db->write, 5, s->first_seen);
    (void)sqlite3_bind_int64(db->write, 6, s->last_seen);
    int code = sqlite3_step(db->write);
    (void)sqlite3_reset(db->write);
    return code == SQLITE_DONE ? 0 : code;
}

int state_db_write(struct state_db *db, const struct state_row *rows, size_t count,
                   bool *anew)
{
    *anew = is_gone(db);
    int code = *anew ? make_anew(db) : 0;
    if (code != 0) {
        return code;
    }
    code = sqlite3_exec(db->sql, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    for (size_t i = 0; code == 0 && i < count; i++) {
        code = write_one(db, &rows[i]);
    }
    if (code == 0) {
        code = sqlite3_exec(db->sql, "COMMIT", NULL, NULL, NULL);
    }
    if (code != 0 && !sqlite3_get_autocommit(db->sql)) {
        (void)sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
    }
    return code;
}

int state_db_prune(struct state_db *db, size_t keep)
{
    (void)sqlite3_bind_int64(db->prune, 1, (sqlite3_int64)keep);
    int code = sqlite3_step(db->prune);
    (void)sqlite3_reset(db->prune);
    return code == SQLITE_DONE ? 0 : code;
}

const char *state_db_explain(int code)
{
    return sqlite3_errstr(code);
}
