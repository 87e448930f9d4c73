#include "app/http_boots.h"

#include <stdio.h>
#include <string.h>

#include "common/minmax.h"
#include "common/text.h"

/* As TFTP clients and the configuration name it. */
static const char *beneath_root(const char *path)
{
    return path + strspn(path, "/");
}

/* The client acknowledges header fields as well. */
static struct boot_progress progress_of(const struct http_transfer *x, uint64_t sent)
{
    return (struct boot_progress){
        .size = x->len, .sent = lesser(sent, x->len), .heard = true};
}

static uint64_t on_began(void *context, const struct http_transfer *x)
{
    struct boot_load load = {
        .door = BOOT_HTTP,
        .peer = x->peer,
        .progress = progress_of(x, 0),
        .began = x->began,
        .last_file = x->tell_whole,
    };
    snprintf(load.name, sizeof load.name, "%s", beneath_root(x->shown));
    return boot_watch_file_began(context, &load);
}

static void on_ended(void *context, const struct http_transfer *x, uint64_t sent,
                     usec_t now)
{
    struct boot_progress progress = progress_of(x, sent);
    static const enum boot_file_end ends[] = {
        [HTTP_END_DONE] = BOOT_FILE_DONE,       [HTTP_END_ABORTED] = BOOT_FILE_ABORTED,
        [HTTP_END_STALLED] = BOOT_FILE_STALLED, [HTTP_END_CLOSED] = BOOT_FILE_CLOSED,
        [HTTP_END_CHANGED] = BOOT_FILE_CLOSED,  [HTTP_END_UNREADABLE] = BOOT_FILE_CLOSED,
    };
    boot_watch_file_ended(context, x->tag, &progress, ends[x->end], now);
}

static void on_refused(void *context, const struct endpoint *peer, const char *path,
                       const char *why, usec_t now)
{
    struct boot_load load = {
        .door = BOOT_HTTP, .peer = *peer, .began = now, .progress.size = UINT64_MAX};
    const char *name = beneath_root(path);
    text_show(name, strlen(name), load.name, sizeof load.name);
    snprintf(load.reason, sizeof load.reason, "%.*s", (int)strcspn(why, "\n"), why);
    boot_watch_file_refused(context, &load, now);
}

static void see(void *context, const struct http_transfer *x, uint64_t sent)
{
    struct boot_progress progress = progress_of(x, sent);
    timeline_file_progress(context, x->tag, &progress);
}

static void refresh(void *context, struct timeline *t, usec_t now)
{
    (void)now;
    http_each(context, see, t);
}

bool http_boots_watch(struct http *http, struct boot_watch *boots)
{
    const struct http_watch watch = {
        .began = on_began, .ended = on_ended, .refused = on_refused, .context = boots};
    http_tell(http, &watch);
    return boot_watch_source(boots, refresh, http);
}
