/*
 * tests/unit/starve: makes the n-th allocation of the tested code fail.
 *
 * The unit tests are linked with --wrap for malloc, calloc, realloc and strdup, so calls
 * from our own objects come here first; the JSON library is told by its own hook.
 */
#ifndef TESTS_UNIT_STARVE_H
#define TESTS_UNIT_STARVE_H

#include <stddef.h>

/* So many allocations succeed, the next one fails, all later ones succeed again. */
void starve_after(unsigned count);

/* Everything succeeds from now on.  True when one had failed since starve_after(). */
int starve_end(void);

#endif
