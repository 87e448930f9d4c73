#include "dhcp/journal.h"
#include "tests/unit/suites.h"

START_TEST(every_verdict_has_a_name)
{
    for (int i = 0; i < DHCP_VERDICT_COUNT; i++) {
        ck_assert_msg(dhcp_verdict_name((enum dhcp_verdict)i), "verdict %d", i);
    }
}
END_TEST

static const struct {
    enum dhcp_verdict verdict;
    enum log_level level;
} levels[] = {
    {DHCP_ANSWERED, LOG_INFO},        {DHCP_HOST_HELD, LOG_INFO},
    {DHCP_HOST_DONE, LOG_INFO},       {DHCP_UNKNOWN_HOST, LOG_INFO},
    {DHCP_FILE_MISSING, LOG_WARNING}, {DHCP_IPV4_ONLY, LOG_WARNING},
    {DHCP_NO_ADDRESS, LOG_WARNING},   {DHCP_NOT_PXE, LOG_DEBUG},
    {DHCP_OTHER_SERVER, LOG_DEBUG},
};

START_TEST(levels_follow_what_can_be_changed)
{
    ck_assert_int_eq(dhcp_journal_level(levels[_i].verdict), levels[_i].level);
}
END_TEST

Suite *suite_dhcp_journal(void)
{
    Suite *s = suite_create("dhcp/journal");
    TCase *tc = tcase_create("levels");
    tcase_add_test(tc, every_verdict_has_a_name);
    tcase_add_loop_test(tc, levels_follow_what_can_be_changed, 0,
                        sizeof levels / sizeof levels[0]);
    suite_add_tcase(s, tc);
    return s;
}
