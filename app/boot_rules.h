/*
 * app/boot_rules: what became of a boot, and why.
 *
 *     boot_judge()     the first rule of the table that fits; one always does
 *     boot_say()       its sentence: who did what, with the file, the server and the port; what
 *                      the person sees on that machine's screen, where that is known; a remedy
 *     boot_is_over()   there is nothing more to wait for
 *     boot_is_at_grub()   not much more
 *
 * The rules are a table in app/boot_rules.c, a row each, read from top to bottom.
 *
 * Spec: PXE 2.1 section 3.4 and appendix A (PXE-Exx of BIOS ROMs), EDK2 PxeBcBoot.c and
 * PxeBcDhcp4.c, GRUB efinet.c, shim netboot.c; firmware.md sections 2, 5 and 9.
 * Ownership: values; boot_say() writes into the caller's buffers.  Pure.
 */
#ifndef APP_BOOT_RULES_H
#define APP_BOOT_RULES_H

#include "app/boot.h"

#define BOOT_SENTENCE 512
#define BOOT_REMEDY   512

#define BOOT_RULES_MAX 64

/* An index into the table, below boot_rule_count() and so below BOOT_RULES_MAX. */
unsigned boot_judge(const struct boot *b);
bool boot_is_over(const struct boot *b);
/* GRUB has come and asked for nothing yet: it does so in its first seconds, or never. */
bool boot_is_at_grub(const struct boot *b);

unsigned boot_rule_count(void);
const char *boot_rule_name(unsigned rule);
enum boot_state boot_rule_state(unsigned rule);

struct boot_words {
    char sentence[BOOT_SENTENCE];
    char remedy[BOOT_REMEDY]; /* "": none */
    const char *screen;       /* a constant; NULL: not known */
};

void boot_say(const struct boot *b, unsigned rule, struct boot_words *out);

#endif
