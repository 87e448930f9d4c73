#include "common/bytes.h"
#include "tests/unit/suites.h"

START_TEST(reader_latches_its_first_fault)
{
    struct rd r = rd_over("\x01\x02\x03", 3);
    ck_assert_uint_eq(rd_u16(&r), 0x0102);
    ck_assert_uint_eq(rd_u16(&r), 0);
    ck_assert(!rd_ok(&r));
    ck_assert_uint_eq(rd_u8(&r), 0); /* one octet is left, but the fault stays */
    ck_assert_uint_eq(rd_left(&r), 0);
}
END_TEST

START_TEST(string_without_nul_is_a_fault)
{
    struct rd r = rd_over("ab\0cd", 5);
    ck_assert_str_eq(rd_cstr(&r), "ab");
    ck_assert_ptr_null(rd_cstr(&r));
    ck_assert(!rd_ok(&r));
}
END_TEST

START_TEST(writer_drops_what_does_not_fit)
{
    uint8_t buf[5];
    struct wr w = wr_over(buf, sizeof buf);
    wr_u32(&w, 0xdeadbeef);
    wr_u16(&w, 1);
    ck_assert(!wr_ok(&w));
    ck_assert_uint_eq(wr_len(&w), 4);
    ck_assert_mem_eq(buf, "\xde\xad\xbe\xef", 4);
}
END_TEST

Suite *suite_common_bytes(void)
{
    Suite *s = suite_create("common/bytes");
    TCase *tc = tcase_create("common/bytes");
    tcase_add_test(tc, reader_latches_its_first_fault);
    tcase_add_test(tc, string_without_nul_is_a_fault);
    tcase_add_test(tc, writer_drops_what_does_not_fit);
    suite_add_tcase(s, tc);
    return s;
}
