/* Tables that cannot be made for want of memory are not there, and leave nothing behind. */
#include "app/boots.h"
#include "app/doctor/firewall.h"
#include "app/evidence.h"
#include "app/timeline.h"
#include "config/hosts.h"
#include "config/machines.h"
#include "config/states.h"
#include "tests/unit/starve.h"
#include "tests/unit/suites.h"
#include "tftp/budget.h"
#include "tftp/table.h"
#include "tftp/window.h"

static const struct hash_seed seed = {1, 2};

/* Each makes one and frees it.  False: it could not be made. */
static bool make_states(void)
{
    struct states *t = states_new(2, 2, &seed);
    states_free(t);
    return t;
}

static bool make_machines(void)
{
    struct machines *t = machines_new(2, &seed);
    machines_free(t);
    return t;
}

static bool make_table(void)
{
    struct tftp_table *t = tftp_table_new(2, 2, &seed);
    tftp_table_free(t);
    return t;
}

static bool make_windows(void)
{
    struct tftp_windows *t = tftp_windows_new(2, &seed);
    tftp_windows_free(t);
    return t;
}

static bool make_budget(void)
{
    struct tftp_budget *t = tftp_budget_new(2, &seed);
    tftp_budget_free(t);
    return t;
}

static bool make_evidence(void)
{
    struct evidence *t = evidence_new(2, &seed);
    evidence_free(t);
    return t;
}

static bool make_timeline(void)
{
    struct timeline *t = timeline_new(2, 10000, &seed);
    timeline_free(t);
    return t;
}

static bool make_boots(void)
{
    struct boots t;
    bool good = boots_init(&t, 2, 10000, &seed);
    boots_done(&t);
    return good;
}

static bool make_hosts(void)
{
    struct hosts *t = hosts_new(2);
    hosts_free(t);
    return t;
}

static bool make_firewall(void)
{
    struct firewall f;
    bool good = firewall_room(&f);
    firewall_done(&f);
    return good;
}

static const struct {
    const char *name;
    bool (*make)(void);
} rows[] = {
    {"states", make_states},     {"machines", make_machines}, {"table", make_table},
    {"windows", make_windows},   {"budget", make_budget},     {"evidence", make_evidence},
    {"timeline", make_timeline}, {"boots", make_boots},       {"hosts", make_hosts},
    {"firewall", make_firewall},
};

START_TEST(what_cannot_be_made_is_not_there)
{
    for (unsigned n = 0; n < 100; n++) {
        starve_after(n);
        bool made = rows[_i].make();
        bool starved = starve_end();
        ck_assert_msg(made == !starved, "%s, allocation %u", rows[_i].name, n);
        if (!starved) {
            ck_assert_uint_gt(n, 0);
            return;
        }
    }
    ck_abort_msg("%s takes no end of memory", rows[_i].name);
}
END_TEST

Suite *suite_no_memory(void)
{
    Suite *s = suite_create("no memory");
    TCase *tc = tcase_create("no memory");
    tcase_add_loop_test(tc, what_cannot_be_made_is_not_there, 0,
                        sizeof rows / sizeof rows[0]);
    suite_add_tcase(s, tc);
    return s;
}
