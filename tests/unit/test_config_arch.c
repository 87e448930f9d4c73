#include <string.h>

#include "config/arch.h"
#include "tests/unit/suites.h"

static const struct {
    const char *text;
    int code; /* -1: refused */
} rows[] = {
    {"x86-bios", 0},
    {"x64-uefi", 7},
    {"ia32-uefi", 6},
    {"x86-uefi", 6},
    {"ebc", 9},
    {"arm64-uefi", 11},
    {"x86-uefi-http", 0x0f},
    {"x64-uefi-http", 0x10},
    {"x86-bios-http", 0x14},
    {"arm-rpiboot", 0x29},
    {"7", 7},
    {"00007", 7},
    {"0x0b", 11},
    {"0X0B", 11},
    {"41", 0x29},
    {"42", -1},
    {"0x2a", -1},
    {"65535", -1},
    {"4294967303", -1}, /* 7 after a wrap of 32 bits */
    {"", -1},
    {"0x", -1},
    {"0b", -1},
    {"-1", -1},
    {" 7", -1},
    {"7 ", -1},
    {"X64-UEFI", -1},
    {"x64-uefi-htt", -1},
};
#define ROWS ((int)(sizeof rows / sizeof rows[0]))

START_TEST(spellings)
{
    uint16_t code = 0xbeef;
    bool ok = arch_parse(rows[_i].text, &code);
    ck_assert_msg(ok == (rows[_i].code >= 0), "\"%s\": %s", rows[_i].text,
                  ok ? "accepted" : "refused");
    ck_assert_msg(code == (ok ? rows[_i].code : 0xbeef), "\"%s\": got %u", rows[_i].text,
                  code);
}
END_TEST

START_TEST(every_code_has_a_name_that_leads_back_to_it)
{
    for (unsigned n = 0; n < ARCH_COUNT; n++) {
        uint16_t i = (uint16_t)n;
        uint16_t code = 0xbeef;
        ck_assert_ptr_nonnull(arch_name(i));
        ck_assert(arch_parse(arch_name(i), &code));
        ck_assert_uint_eq(code, i);
    }
    ck_assert_ptr_null(arch_name(ARCH_COUNT));
    ck_assert_ptr_null(arch_name(0xffff));
}
END_TEST

START_TEST(the_http_ones_are_those_that_say_so)
{
    for (unsigned n = 0; n < ARCH_COUNT; n++) {
        uint16_t i = (uint16_t)n;
        ck_assert_msg(arch_is_http(i) == (strstr(arch_name(i), "-http") != NULL), "%s",
                      arch_name(i));
    }
    ck_assert(!arch_is_http(0xffff));
}
END_TEST

Suite *suite_config_arch(void)
{
    Suite *s = suite_create("config/arch");
    TCase *tc = tcase_create("arch");
    tcase_add_loop_test(tc, spellings, 0, ROWS);
    tcase_add_test(tc, every_code_has_a_name_that_leads_back_to_it);
    tcase_add_test(tc, the_http_ones_are_those_that_say_so);
    suite_add_tcase(s, tc);
    return s;
}
