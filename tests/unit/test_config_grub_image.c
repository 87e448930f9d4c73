/* config/grub_image: the lists of modules that grub-mkimage writes, in both widths. */
#include <string.h>

#include "common/bytes.h"
#include "config/grub_image.h"
#include "tests/unit/suites.h"

enum { MEMDISK = 1, CONFIG = 2, PREFIX = 3 };

static void le32(struct wr *w, uint32_t v)
{
    wr_u32(w, __builtin_bswap32(v));
}

static void put_object(struct wr *w, uint32_t type, const char *text)
{
    if (text) {
        size_t len = strlen(text) + 1;
        le32(w, type);
        le32(w, (uint32_t)(8 + len));
        wr_put(w, text, len);
    }
}

struct image {
    const char *prefix;
    const char *config;
    const char *memdisk;
};

static size_t write_image(const struct image *in, bool wide, uint8_t *out, size_t size)
{
    struct wr w = wr_over(out, size);
    memcpy(out, "mimg", 4);
    (void)wr_put(&w, out, wide ? 24 : 12); /* filled in below */
    put_object(&w, 0,
               "\x7f"
               "ELF net_bootp (tftp,");
    put_object(&w, MEMDISK, in->memdisk);
    put_object(&w, CONFIG, in->config);
    put_object(&w, PREFIX, in->prefix);
    size_t len = wr_len(&w);
    struct wr head = wr_over(out, size);
    le32(&head, 0x676d696d);
    if (wide) {
        le32(&head, 0);
    }
    le32(&head, wide ? 24 : 12);
    if (wide) {
        le32(&head, 0);
    }
    le32(&head, (uint32_t)len);
    if (wide) {
        le32(&head, 0);
    }
    return len;
}

static const struct {
    const char *name;
    struct image image;
    enum grub_server want;
} rows[] = {
    {"Debian's signed one for networks",
     {"/grub", "normal (memdisk)/grub.cfg\n", "if [ -e $prefix/grub.cfg ]"},
     GRUB_LEARNS},
    {"Debian's signed one for disks", {"/EFI/debian", NULL, NULL}, GRUB_LEARNS},
    {"of grub-mknetdir", {"/boot/grub", NULL, NULL}, GRUB_LEARNS},
    {"a device without server", {"(pxe)/grub", NULL, NULL}, GRUB_LEARNS},
    {"a server as prefix", {"(tftp,10.0.0.1)/grub", NULL, NULL}, GRUB_KNOWS},
    {"by HTTP", {"(http,10.0.0.1)/grub", NULL, NULL}, GRUB_KNOWS},
    {"a server in its configuration",
     {"/grub", "configfile (tftp,10.0.0.1)/grub.cfg", NULL},
     GRUB_KNOWS},
    {"one that asks by itself", {"/grub", "net_bootp\n", NULL}, GRUB_KNOWS},
    {"a disk of its own", {"/grub", NULL, "net_dhcp; set x=(tftp,10.0.0.1)"}, GRUB_KNOWS},
    {"of grub-mkstandalone", {"(memdisk)/boot/grub", NULL, NULL}, GRUB_KNOWS},
    {"Fedora's, which reads offers", {"/EFI/fedora", NULL, NULL}, GRUB_KNOWS},
    {"no prefix", {NULL, NULL, NULL}, GRUB_NONE},
};
#define ROWS ((int)(sizeof rows / sizeof rows[0]))

START_TEST(by_prefix_configuration_and_disk)
{
    uint8_t octets[512] = {0};
    for (int wide = 0; wide < 2; wide++) {
        size_t len = write_image(&rows[_i].image, wide, octets, sizeof octets);
        ck_assert_msg(grub_image_server(octets, len) == rows[_i].want, "%s",
                      rows[_i].name);
    }
}
END_TEST

/* However short, it is told without reading behind the end (the sanitizers watch). */
START_TEST(cut_anywhere)
{
    uint8_t octets[512] = {0};
    size_t len = write_image(&rows[0].image, true, octets, sizeof octets);
    for (size_t cut = 0; cut < len; cut++) {
        ck_assert_int_eq(grub_image_server(octets, cut), GRUB_NONE);
    }
    memset(octets + 24, 0xff, 8);
    ck_assert_int_eq(grub_image_server(octets, len), GRUB_NONE);
    memset(octets + 24, 0, 8); /* an object of no size */
    ck_assert_int_eq(grub_image_server(octets, len), GRUB_NONE);
    ck_assert_int_eq(grub_image_server("MZ, no list of modules", 22), GRUB_NONE);
}
END_TEST

Suite *suite_config_grub_image(void)
{
    Suite *s = suite_create("config/grub_image");
    TCase *tc = tcase_create("servers");
    tcase_add_loop_test(tc, by_prefix_configuration_and_disk, 0, ROWS);
    tcase_add_test(tc, cut_anywhere);
    suite_add_tcase(s, tc);
    return s;
}
