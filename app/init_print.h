/*
 * app/init_print: what `pxed init` found, made and left alone, for people and as JSON.
 *
 * Shell: stdio, jansson.
 */
#ifndef APP_INIT_PRINT_H
#define APP_INIT_PRINT_H

#include <jansson.h>

#include "app/init_place.h"
#include "app/init_texts.h"
#include "app/terminal.h"

struct init_outcome {
    const struct init_terms *terms;
    const struct init_place *place;
    const char *root;
    const char *configuration;
    bool good; /* the configuration has no faults */
};

/* Packages with the files that each brought, or would bring. */
void init_print_packages(const struct terminal *t, const bool there[]);
/* Each architecture with what it boots, and what became of the files. */
void init_print_outcome(const struct terminal *t, const struct init_outcome *o);

/* NULL: memory is out. */
json_t *init_json(const struct init_outcome *o);

#endif
