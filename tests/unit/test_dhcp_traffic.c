#include "config/arch.h"
#include "dhcp/traffic.h"
#include "tests/unit/suites.h"

static const struct {
    bool has_arch;
    uint16_t arch;
    bool ipxe;
    enum traffic_arch want;
} machines[] = {
    {false, 0, false, TRAFFIC_NO_ARCH},
    {true, ARCH_X86_BIOS, false, TRAFFIC_BIOS},
    {true, ARCH_X64_UEFI, false, TRAFFIC_UEFI},
    {true, ARCH_EBC, false, TRAFFIC_UEFI},
    {true, 0x27, false, TRAFFIC_UEFI}, /* loongarch64 */
    {true, ARCH_X64_UEFI_HTTP, false, TRAFFIC_HTTP},
    {true, ARCH_ARM_RPIBOOT, false, TRAFFIC_OTHER_ARCH},
    {true, 0xffff, false, TRAFFIC_OTHER_ARCH}, /* not assigned */
    {true, ARCH_X64_UEFI, true, TRAFFIC_IPXE},
    {false, 0, true, TRAFFIC_IPXE},
};

START_TEST(a_machine_is_counted_under_the_class_of_its_architecture)
{
    struct traffic t = {0};
    struct dhcp_decision d = {.has_arch = machines[_i].has_arch,
                              .arch = machines[_i].arch,
                              .client.ipxe = machines[_i].ipxe};
    traffic_count_request(&t, TRAFFIC_REQUEST, &d);
    for (unsigned a = 0; a < TRAFFIC_ARCH_COUNT; a++) {
        ck_assert_uint_eq(t.packets[TRAFFIC_REQUEST][a], a == machines[_i].want);
    }
}
END_TEST

Suite *suite_dhcp_traffic(void)
{
    Suite *s = suite_create("dhcp/traffic");
    TCase *c = tcase_create("traffic");
    tcase_add_loop_test(c, a_machine_is_counted_under_the_class_of_its_architecture, 0,
                        sizeof machines / sizeof machines[0]);
    suite_add_tcase(s, c);
    return s;
}
