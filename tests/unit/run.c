#include <stdlib.h>

#include "tests/unit/suites.h"

int main(void)
{
    SRunner *runner = srunner_create(suite_app_explain());
    srunner_add_suite(runner, suite_app_evidence());
    srunner_add_suite(runner, suite_app_http());
    srunner_add_suite(runner, suite_app_http_answer());
    srunner_add_suite(runner, suite_app_boot_rules());
    srunner_add_suite(runner, suite_app_timeline());
    srunner_add_suite(runner, suite_app_timeline_json());
    srunner_add_suite(runner, suite_app_landlock());
    srunner_add_suite(runner, suite_app_loop());
    srunner_add_suite(runner, suite_app_metrics());
    srunner_add_suite(runner, suite_config_grub_image());
    srunner_add_suite(runner, suite_app_init());
    srunner_add_suite(runner, suite_app_terminal());
    srunner_add_suite(runner, suite_app_request());
    srunner_add_suite(runner, suite_app_probe_choice());
    srunner_add_suite(runner, suite_app_probe_http());
    srunner_add_suite(runner, suite_app_doctor());
    srunner_add_suite(runner, suite_common_beneath());
    srunner_add_suite(runner, suite_common_bytes());
    srunner_add_suite(runner, suite_common_histogram());
    srunner_add_suite(runner, suite_common_human());
    srunner_add_suite(runner, suite_common_log());
    srunner_add_suite(runner, suite_common_netaddr());
    srunner_add_suite(runner, suite_common_recent());
    srunner_add_suite(runner, suite_common_sha256());
    srunner_add_suite(runner, suite_common_text());
    srunner_add_suite(runner, suite_common_timers());
    srunner_add_suite(runner, suite_config_arch());
    srunner_add_suite(runner, suite_config_bootfile());
    srunner_add_suite(runner, suite_config_comments());
    srunner_add_suite(runner, suite_config_faults());
    srunner_add_suite(runner, suite_config_files());
    srunner_add_suite(runner, suite_config_host_files());
    srunner_add_suite(runner, suite_config_hosts());
    srunner_add_suite(runner, suite_config_keys());
    srunner_add_suite(runner, suite_config_load());
    srunner_add_suite(runner, suite_config_locate());
    srunner_add_suite(runner, suite_config_machines());
    srunner_add_suite(runner, suite_config_states());
    srunner_add_suite(runner, suite_config_system());
    srunner_add_suite(runner, suite_config_template());
    srunner_add_suite(runner, suite_config_menu());
    srunner_add_suite(runner, suite_config_own());
    srunner_add_suite(runner, suite_dhcp_answers());
    srunner_add_suite(runner, suite_dhcp_decision());
    srunner_add_suite(runner, suite_dhcp_facts());
    srunner_add_suite(runner, suite_dhcp_frame());
    srunner_add_suite(runner, suite_dhcp_golden());
    srunner_add_suite(runner, suite_dhcp_identity());
    srunner_add_suite(runner, suite_dhcp_ladder());
    srunner_add_suite(runner, suite_dhcp_menu());
    srunner_add_suite(runner, suite_dhcp_journal());
    srunner_add_suite(runner, suite_dhcp_packet());
    srunner_add_suite(runner, suite_dhcp6_clients());
    srunner_add_suite(runner, suite_dhcp6_decision());
    srunner_add_suite(runner, suite_dhcp6_golden());
    srunner_add_suite(runner, suite_dhcp6_held());
    srunner_add_suite(runner, suite_dhcp6_packet());
    srunner_add_suite(runner, suite_dhcp_pending());
    srunner_add_suite(runner, suite_dhcp_radar());
    srunner_add_suite(runner, suite_dhcp_traffic());
    srunner_add_suite(runner, suite_tftp_misses());
    srunner_add_suite(runner, suite_tftp_pace());
    srunner_add_suite(runner, suite_tftp_packet());
    srunner_add_suite(runner, suite_tftp_path());
    srunner_add_suite(runner, suite_tftp_store());
    srunner_add_suite(runner, suite_tftp_table());
    srunner_add_suite(runner, suite_tftp_window());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
