/*
 * config/syntax: the text of a configuration to a JSON tree, comments allowed.
 *
 * Errors: NULL after a complaint (config/fields.h) about the first thing that is no JSON;
 * keys given twice are complained about too, but a tree is returned.
 * Ownership: the tree is the caller's.  Shell: jansson.  Private to config/load*.
 */
#ifndef CONFIG_SYNTAX_H
#define CONFIG_SYNTAX_H

#include "config/fields.h"

/* text is that of the reader; its comments are blanked here. */
json_t *syntax_read(struct reader *r, char *text);

#endif
