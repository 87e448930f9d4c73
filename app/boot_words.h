/*
 * app/boot_words: the words that stand in braces in the sentences of app/boot_rules, told from
 * the facts of a boot: "{machine} asked {asked}" is "lab-01 (52:54:00:12:34:56) asked 4 times".
 *
 * Ownership: written into the caller's buffer, cut to its size.  Pure.
 */
#ifndef APP_BOOT_WORDS_H
#define APP_BOOT_WORDS_H

#include "app/boot.h"

/* The template with its words put in; a word that is not known stays in its braces. */
void boot_words_fill(const struct boot *b, const char *template, char *buf, size_t size);

#endif
