/* sim/suites: one function per room of tests, for main.c. */
#ifndef TESTS_SIM_SUITES_H
#define TESTS_SIM_SUITES_H

#include <check.h>

TCase *sim_conversations(void); /* packet by packet */
TCase *sim_scenarios(void);     /* a client, a wire, one thing goes wrong */
TCase *sim_learning(void);
TCase *sim_crowd(void);      /* of machines, on the timeline of boots */
TCase *sim_day(void);        /* twenty-four hours of boots */
TCase *sim_flood(void);      /* of requests that nobody answers */
TCase *sim_mute(void);       /* what a peer gets that never answers */
TCase *sim_fetching(void);   /* the client of pxed probe against the session */
TCase *sim_matrix(void);     /* every client on thousands of seeded wires */
TCase *sim_throughput(void); /* how long 1.6 GB take on virtual time */

#endif
