/*
 * Simulated network: the real tftp/session, models of the clients, a wire that loses,
 * doubles and reorders packets, and virtual time.
 *
 *     SIM_SEEDS=20000 build/sim      more seeds for each client (default 1000)
 *     SIM_ONLY=edk2:77 build/sim     this one run of the matrix, with every packet
 */
#include <stdlib.h>

#include "tests/sim/suites.h"

int main(void)
{
    Suite *suite = suite_create("sim");
    if (!getenv("SIM_ONLY")) {
        suite_add_tcase(suite, sim_conversations());
        suite_add_tcase(suite, sim_scenarios());
        suite_add_tcase(suite, sim_learning());
        suite_add_tcase(suite, sim_fetching());
        suite_add_tcase(suite, sim_throughput());
        suite_add_tcase(suite, sim_crowd());
        suite_add_tcase(suite, sim_day());
        suite_add_tcase(suite, sim_flood());
        suite_add_tcase(suite, sim_mute());
    }
    suite_add_tcase(suite, sim_matrix());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
