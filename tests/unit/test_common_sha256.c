#include <string.h>

#include "common/sha256.h"
#include "tests/unit/suites.h"

/* The examples of FIPS 180-4's companion page, and the lengths around a block's end. */
static const struct {
    const char *text;
    unsigned times;
    const char *digest;
} rows[] = {
    {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"a", 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
    {"a", 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
    {"a", 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
    {"a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
};

START_TEST(digests_are_those_of_the_standard)
{
    struct sha256 s;
    char text[SHA256_TEXT];
    sha256_init(&s);
    for (unsigned i = 0; i < rows[_i].times; i++) {
        sha256_add(&s, rows[_i].text, strlen(rows[_i].text));
    }
    ck_assert_str_eq(sha256_end(&s, text), rows[_i].digest);
}
END_TEST

START_TEST(a_digest_is_told_from_other_text)
{
    char out[SHA256_TEXT];
    char text[SHA256_TEXT + 1];
    memset(text, 'A', sizeof text);
    text[SHA256_TEXT] = '\0';
    ck_assert(!sha256_parse(text, out));
    text[SHA256_TEXT - 1] = '\0';
    ck_assert(sha256_parse(text, out));
    ck_assert_int_eq(out[0], 'a');
    text[5] = 'g';
    ck_assert(!sha256_parse(text, out));
    ck_assert(!sha256_parse("", out));
}
END_TEST

Suite *suite_common_sha256(void)
{
    Suite *s = suite_create("common/sha256");
    TCase *tc = tcase_create("digests");
    tcase_add_loop_test(tc, digests_are_those_of_the_standard, 0,
                        sizeof rows / sizeof rows[0]);
    tcase_add_test(tc, a_digest_is_told_from_other_text);
    suite_add_tcase(s, tc);
    return s;
}
