/*
 * app/boot_watch: what the services tell of machines, put into the words of app/timeline; and
 * the log line of each boot that has ended.
 *
 *     boot_watch_dhcp(), boot_watch_tftp()   the hooks that feed it
 *     boot_watch_file_*()                    the same for files of another door (HTTP)
 *     boot_watch_refresh()                   before the timeline is shown: files under way
 *
 * Ownership: the watch owns the timeline; the appliance outlives it.
 * Errors: 0 or -errno.  Shell: common/log.
 */
#ifndef APP_BOOT_WATCH_H
#define APP_BOOT_WATCH_H

#include "app/boot_rules.h"
#include "app/timeline.h"
#include "dhcp/service.h"
#include "tftp/hooks.h"

struct appliance;
struct boot_watch;

int boot_watch_new(const struct appliance *a, struct boot_watch **out);
void boot_watch_free(struct boot_watch *w); /* NULL is fine */

/* Boots that have ended, by how far they came and by verdict; one opened again ends again. */
struct boot_tally {
    uint64_t ended[BOOT_STAGE_COUNT][BOOT_RULES_MAX];
};
const struct boot_tally *boot_watch_tally(const struct boot_watch *w);

struct timeline *boot_watch_timeline(struct boot_watch *w);

/* Fills in the hooks that tell of boots; those that ask are app/hooks.c's. */
void boot_watch_dhcp(struct dhcp_hooks *hooks);
void boot_watch_tftp(struct tftp_hooks *hooks);

/*
 * A file at another door than TFTP.  load: peer, door, name (printable), size and the like;
 * the tag is for the calls that follow, 0 when nothing is noted.
 */
timeline_tag boot_watch_file_began(struct boot_watch *w, const struct boot_load *load);
void boot_watch_file_ended(struct boot_watch *w, timeline_tag tag,
                           const struct boot_progress *progress, enum boot_file_end end,
                           usec_t now);
void boot_watch_file_refused(struct boot_watch *w, const struct boot_load *load,
                             usec_t now);

/* Who else can tell how far its files have come: by timeline_file_progress(). */
bool boot_watch_source(struct boot_watch *w,
                       void (*refresh)(void *context, struct timeline *t, usec_t now),
                       void *context);
void boot_watch_refresh(struct boot_watch *w, usec_t now);

usec_t boot_watch_deadline(const struct boot_watch *w);
void boot_watch_timeout(struct boot_watch *w, usec_t now);

/* Asked of each boot that has ended: true: a recording of it has this name. */
void boot_watch_keep(struct boot_watch *w,
                     bool (*keep)(void *context, const struct boot *b,
                                  char name[BOOT_LABEL]),
                     void *context);

/* Called when boots have ended. */
void boot_watch_on_end(struct boot_watch *w, void (*ended)(void *context), void *context);

#endif
