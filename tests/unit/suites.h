/* Every suite, one per tested file or pair of files; run.c lists them. */
#ifndef TESTS_UNIT_SUITES_H
#define TESTS_UNIT_SUITES_H

#include <check.h>

Suite *suite_app_loop(void);
Suite *suite_app_explain(void);
Suite *suite_app_metrics(void);
Suite *suite_app_terminal(void);
Suite *suite_common_bytes(void);
Suite *suite_common_histogram(void);
Suite *suite_common_human(void);
Suite *suite_common_netaddr(void);
Suite *suite_common_text(void);
Suite *suite_common_timers(void);
Suite *suite_config_arch(void);
Suite *suite_config_bootfile(void);
Suite *suite_config_comments(void);
Suite *suite_config_faults(void);
Suite *suite_config_files(void);
Suite *suite_config_host_files(void);
Suite *suite_config_hosts(void);
Suite *suite_config_keys(void);
Suite *suite_config_load(void);
Suite *suite_config_locate(void);
Suite *suite_config_machines(void);
Suite *suite_config_states(void);
Suite *suite_config_template(void);
Suite *suite_config_menu(void);
Suite *suite_config_own(void);
Suite *suite_dhcp_answers(void);
Suite *suite_dhcp_decision(void);
Suite *suite_dhcp_facts(void);
Suite *suite_dhcp_frame(void);
Suite *suite_dhcp_golden(void);
Suite *suite_dhcp_identity(void);
Suite *suite_dhcp_journal(void);
Suite *suite_dhcp_packet(void);
Suite *suite_dhcp6_clients(void);
Suite *suite_dhcp6_decision(void);
Suite *suite_dhcp6_golden(void);
Suite *suite_dhcp6_held(void);
Suite *suite_dhcp6_packet(void);
Suite *suite_dhcp_radar(void);
Suite *suite_dhcp_ladder(void);
Suite *suite_dhcp_menu(void);
Suite *suite_dhcp_pending(void);
Suite *suite_dhcp_traffic(void);
Suite *suite_tftp_misses(void);
Suite *suite_tftp_pace(void);
Suite *suite_tftp_packet(void);
Suite *suite_tftp_path(void);
Suite *suite_tftp_store(void);
Suite *suite_tftp_table(void);
Suite *suite_tftp_window(void);

#endif
