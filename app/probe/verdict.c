#include <stdio.h>
#include <string.h>

#include "app/probe/probe.h"
#include "common/text.h"

/* What the person reads when the file does not come. */
static const char *screen_of(const struct probe *p)
{
    const struct download *d = &p->download;
    bool mute = strstr(d->fault, "not answer") || strstr(d->fault, "silent");
    switch (p->terms->client.manner) {
    case REQUEST_EDK2:
        return d->not_found ? "PXE-E23: Client received TFTP error from server."
               : strstr(d->fault, "tsize") ? "PXE-E53: No boot filename received."
               : mute                      ? "PXE-E18: Server response timeout."
                                           : "PXE-E99: Unexpected network error.";
    case REQUEST_BIOS:
        return d->not_found ? "PXE-E3B: TFTP Error - File Not Found"
               : mute       ? "PXE-E32: TFTP open timeout"
                            : "";
    case REQUEST_IPXE:
        return d->not_found ? "No such file or directory"
               : mute       ? "Connection timed out"
                            : "";
    default:
        return "";
    }
}

static void stop(struct probe *p, const char *screen, const char *what, const char *why)
{
    char file[ANSWER_TEXT * 4];
    (void)text_show(p->file, strlen(p->file), file, sizeof file);
    snprintf(p->sentence, sizeof p->sentence, "%s But %.200s %s%s%s.", p->choice.why,
             file, what, why[0] ? ": " : "", why);
    snprintf(p->screen, sizeof p->screen, "%s", screen);
}

static void judge_file(struct probe *p)
{
    const struct download *d = &p->download;
    char octets[16];
    char file[ANSWER_TEXT * 4];
    if (!d->done) {
        stop(p, p->choice.step == CHOICE_URL ? "" : screen_of(p), "cannot be loaded",
             d->fault);
    } else if (!p->fits) {
        stop(p, "", p->why_not, "");
    } else if (p->terms->verify && strcmp(p->terms->sha256, d->sha256) != 0) {
        stop(p, "", "is not the file that was expected: its SHA-256 is", d->sha256);
    } else {
        p->boots = true;
        (void)text_show(p->file, strlen(p->file), file, sizeof file);
        snprintf(p->sentence, sizeof p->sentence, "%s It loads %.200s (%s).",
                 p->choice.why, file, text_bytes(d->octets, octets, sizeof octets));
    }
}

void probe_judge(struct probe *p)
{
    const struct choice *c = &p->choice;
    p->boots = false;
    snprintf(p->sentence, sizeof p->sentence, "%s", c->why);
    snprintf(p->screen, sizeof p->screen, "%s", c->screen);
    if (p->failed[0]) {
        snprintf(p->sentence, sizeof p->sentence, "It cannot be told: %s.", p->failed);
    } else if (p->terms->lease && c->address != NO_ANSWER && p->leased != DHCP_ACK) {
        snprintf(p->sentence, sizeof p->sentence,
                 "It does not get the address that it was offered: the DHCP server %s.",
                 p->leased == DHCP_NAK ? "refuses it (NAK)"
                                       : "does not answer its REQUEST");
    } else if (p->downloaded) {
        judge_file(p);
    } else {
        p->boots = c->step == CHOICE_TFTP || c->step == CHOICE_URL;
    }
    if (!p->boots && p->beside_pxed) {
        size_t used = strlen(p->sentence);
        snprintf(
            p->sentence + used, sizeof p->sentence - used,
            " But a pxed runs on this very host, and does not hear what is sent from "
            "here: probe from another machine.");
    }
}
