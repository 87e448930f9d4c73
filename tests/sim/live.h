/*
 * sim/live: how many pieces of memory are in use.
 *
 * The simulations are linked with --wrap for the functions that give and take them.
 */
#ifndef TESTS_SIM_LIVE_H
#define TESTS_SIM_LIVE_H

long live_pieces(void);

#endif
