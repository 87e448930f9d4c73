/* What `pxed probe` says in the end, from what was chosen and what came of loading it. */
#include <stdio.h>
#include <string.h>

#include "app/probe/probe.h"
#include "tests/unit/suites.h"

static const struct {
    const char *name;
    enum request_manner manner;
    enum choice_step step;
    const char *failed;
    enum dhcp_message leased; /* 0: no lease was asked for */
    bool downloaded;
    bool done;
    bool not_found;
    const char *fault;
    const char *why_not; /* NULL: it fits */
    const char *sha256;  /* NULL: none is expected */
    bool boots;
    const char *sentence; /* its end */
    const char *screen;
} rows[] = {
    {"it loads", REQUEST_EDK2, CHOICE_TFTP, "", DHCP_ACK, true, true, false, "", NULL,
     NULL, true, "It chooses. It loads a\\x1b.efi (1.2kB).", ""},
    {"nothing was loaded", REQUEST_EDK2, CHOICE_TFTP, "", 0, false, false, false, "",
     NULL, NULL, true, "It chooses.", ""},
    {"nothing is to be loaded", REQUEST_EDK2, CHOICE_NOTHING, "", 0, false, false, false,
     "", NULL, NULL, false, "It chooses.", ""},
    {"it cannot be told", REQUEST_EDK2, CHOICE_TFTP, "no such interface", 0, false, false,
     false, "", NULL, NULL, false, "It cannot be told: no such interface.", ""},
    {"NAK", REQUEST_EDK2, CHOICE_TFTP, "", DHCP_NAK, true, true, false, "", NULL, NULL,
     false, "the DHCP server refuses it (NAK).", ""},
    {"no lease", REQUEST_EDK2, CHOICE_TFTP, "", DHCP_DISCOVER, true, true, false, "",
     NULL, NULL, false, "does not answer its REQUEST.", ""},
    {"EDK2: not found", REQUEST_EDK2, CHOICE_TFTP, "", DHCP_ACK, true, false, true,
     "not found", NULL, NULL, false, "But a\\x1b.efi cannot be loaded: not found.",
     "PXE-E23: Client received TFTP error from server."},
    {"EDK2: no size", REQUEST_EDK2, CHOICE_TFTP, "", DHCP_ACK, true, false, false,
     "the server leaves tsize out", NULL, NULL, false,
     "cannot be loaded: the server leaves tsize "
     "out.",
     "PXE-E53: No boot filename received."},
    {"EDK2: mute", REQUEST_EDK2, CHOICE_TFTP, "", DHCP_ACK, true, false, false,
     "the server does not answer", NULL, NULL, false, "the server does not answer.",
     "PXE-E18: Server response timeout."},
    {"EDK2: something else", REQUEST_EDK2, CHOICE_TFTP, "", DHCP_ACK, true, false, false,
     "odd", NULL, NULL, false, "cannot be loaded: odd.",
     "PXE-E99: Unexpected network error."},
    {"BIOS: not found", REQUEST_BIOS, CHOICE_TFTP, "", DHCP_ACK, true, false, true,
     "not found", NULL, NULL, false, "not found.",
     "PXE-E3B: TFTP Error - File Not Found"},
    {"BIOS: mute", REQUEST_BIOS, CHOICE_TFTP, "", DHCP_ACK, true, false, false,
     "fell silent", NULL, NULL, false, "fell silent.", "PXE-E32: TFTP open timeout"},
    {"BIOS: something else", REQUEST_BIOS, CHOICE_TFTP, "", DHCP_ACK, true, false, false,
     "odd", NULL, NULL, false, "odd.", ""},
    {"iPXE: not found", REQUEST_IPXE, CHOICE_TFTP, "", DHCP_ACK, true, false, true,
     "not found", NULL, NULL, false, "not found.", "No such file or directory"},
    {"iPXE: mute", REQUEST_IPXE, CHOICE_TFTP, "", DHCP_ACK, true, false, false,
     "fell silent", NULL, NULL, false, "fell silent.", "Connection timed out"},
    {"U-Boot says nothing known", REQUEST_UBOOT, CHOICE_TFTP, "", DHCP_ACK, true, false,
     true, "not found", NULL, NULL, false, "not found.", ""},
    {"a URL", REQUEST_EDK2, CHOICE_URL, "", DHCP_ACK, true, false, true, "404", NULL,
     NULL, false, "cannot be loaded: 404.", ""},
    {"it does not fit", REQUEST_EDK2, CHOICE_TFTP, "", DHCP_ACK, true, true, false, "",
     "is empty", NULL, false, "But a\\x1b.efi is empty.", ""},
    {"another file", REQUEST_EDK2, CHOICE_TFTP, "", DHCP_ACK, true, true, false, "", NULL,
     "00", false, "its SHA-256 is: ff.", ""},
};

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text);
    return len >= strlen(end) && strcmp(text + len - strlen(end), end) == 0;
}

static void fill(struct probe *p, struct probe_terms *terms, int i)
{
    *terms = (struct probe_terms){.client.manner = rows[i].manner,
                                  .lease = rows[i].leased != 0,
                                  .verify = rows[i].sha256 != NULL};
    *p = (struct probe){.terms = terms,
                        .choice.step = rows[i].step,
                        .leased = rows[i].leased,
                        .downloaded = rows[i].downloaded,
                        .file = "a\033.efi",
                        .download.done = rows[i].done,
                        .download.not_found = rows[i].not_found,
                        .download.octets = 1234,
                        .fits = rows[i].why_not == NULL};
    snprintf(p->choice.why, sizeof p->choice.why, "It chooses.");
    snprintf(p->failed, sizeof p->failed, "%s", rows[i].failed);
    snprintf(p->download.fault, sizeof p->download.fault, "%s", rows[i].fault);
    snprintf(p->why_not, sizeof p->why_not, "%s", rows[i].why_not ? rows[i].why_not : "");
    snprintf(terms->sha256, sizeof terms->sha256, "%s",
             rows[i].sha256 ? rows[i].sha256 : "");
    snprintf(p->download.sha256, sizeof p->download.sha256, "ff");
}

START_TEST(the_end_is_told)
{
    static struct probe p;
    static struct probe_terms terms;
    fill(&p, &terms, _i);
    probe_judge(&p);
    ck_assert_msg(p.boots == rows[_i].boots, "%s", rows[_i].name);
    ck_assert_msg(ends_with(p.sentence, rows[_i].sentence), "%s: %s", rows[_i].name,
                  p.sentence);
    ck_assert_str_eq(p.screen, rows[_i].screen);
    p.beside_pxed = true;
    probe_judge(&p);
    ck_assert_msg(p.boots == !strstr(p.sentence, "on this very host"), "%s",
                  rows[_i].name);
}
END_TEST

Suite *suite_app_probe_verdict(void)
{
    Suite *s = suite_create("app/probe/verdict");
    TCase *tc = tcase_create("verdict");
    tcase_add_loop_test(tc, the_end_is_told, 0, sizeof rows / sizeof rows[0]);
    suite_add_tcase(s, tc);
    return s;
}
