/* app/init_parts, app/init_texts: the tables of `pxed init` hold together, its texts fit. */
#include <string.h>

#include "app/init_parts.h"
#include "app/init_texts.h"
#include "config/arch.h"
#include "config/load.h"
#include "tests/unit/suites.h"

static bool is_part(const char *target, size_t before)
{
    size_t row = init_part_of(target);
    return row < before && strcmp(init_parts[row].target, target) == 0;
}

/* Parts are made in the order of the table. */
START_TEST(parts_need_earlier_parts)
{
    for (size_t i = 0; i < init_part_count; i++) {
        for (size_t n = 0; n < 2; n++) {
            const char *needs = init_parts[i].needs[n];
            ck_assert_msg(!needs || is_part(needs, i), "%s needs %s",
                          init_parts[i].target, needs);
        }
    }
}
END_TEST

START_TEST(chains_are_of_parts_and_architectures)
{
    for (size_t i = 0; i < init_chain_count; i++) {
        const struct init_chain *c = &init_chains[i];
        uint16_t arch;
        ck_assert_msg(arch_parse(c->arch, &arch) && !strcmp(arch_name(arch), c->arch),
                      "%s", c->arch);
        ck_assert_msg(is_part(c->file[0], init_part_count), "%s", c->file[0]);
        ck_assert(!c->file[1] || is_part(c->file[1], init_part_count));
    }
}
END_TEST

/* The rows of an architecture stand together: they are printed so. */
START_TEST(chains_of_an_architecture_are_neighbours)
{
    for (size_t i = 1; i < init_chain_count; i++) {
        for (size_t k = 0; k < i && strcmp(init_chains[i].arch, init_chains[i - 1].arch);
             k++) {
            ck_assert_str_ne(init_chains[i].arch, init_chains[k].arch);
        }
    }
}
END_TEST

START_TEST(loaders_go_by_their_names)
{
    static const char *const names[LOADER_COUNT] = {"ipxe", "grub", "pxelinux", "shim"};
    enum init_loader loader = LOADER_ANY;
    for (unsigned i = 0; i < LOADER_COUNT; i++) {
        ck_assert_str_eq(init_loader_name((enum init_loader)i), names[i]);
        ck_assert(init_loader_parse(names[i], &loader) && loader == i);
    }
    loader = LOADER_GRUB;
    ck_assert(!init_loader_parse("lilo", &loader) && loader == LOADER_GRUB);
}
END_TEST

START_TEST(images_are_made_by_programs_of_packages)
{
    ck_assert_str_eq(init_program(INIT_GRUB), "grub-mkimage");
    ck_assert_str_eq(init_program_package(INIT_GRUB), "grub-common");
    ck_assert_str_eq(init_program(INIT_DISK), "mcopy");
    ck_assert_str_eq(init_program_package(INIT_DISK), "mtools");
    ck_assert_ptr_null(init_program(INIT_MENU));
    ck_assert_ptr_null(init_program_package(INIT_MENU));
}
END_TEST

START_TEST(a_disk_goes_on_by_tftp)
{
    char text[INIT_TEXT_SIZE] = "";
    struct text t = {text, sizeof text, 0};
    const struct init_terms terms = {.address = {{10, 0, 0, 1}}, .address_said = true};
    init_disk_menu(&t, &terms);
    ck_assert_ptr_nonnull(strstr(text, "\nnet_bootp\nset prefix=(tftp,10.0.0.1)/grub\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nnormal\n"));
}
END_TEST

START_TEST(a_chain_is_chosen_only_when_it_is_whole)
{
    bool there[INIT_PARTS_MAX] = {false};
    ck_assert_ptr_null(init_chain_choose("x86-bios", LOADER_ANY, there));
    there[init_part_of("pxelinux.0")] = true;
    ck_assert_ptr_null(init_chain_choose("x86-bios", LOADER_ANY, there));
    there[init_part_of("ldlinux.c32")] = true;
    ck_assert_str_eq(init_chain_choose("x86-bios", LOADER_ANY, there)->file[0],
                     "pxelinux.0");
    there[init_part_of("undionly.kpxe")] = true;
    ck_assert_str_eq(init_chain_choose("x86-bios", LOADER_ANY, there)->file[0],
                     "undionly.kpxe");
    ck_assert_str_eq(init_chain_choose("x86-bios", LOADER_PXELINUX, there)->file[0],
                     "pxelinux.0");
    ck_assert_str_eq(init_chain_choose("x86-bios", LOADER_SHIM, there)->file[0],
                     "undionly.kpxe");
}
END_TEST

/* With everything there is, which makes the longest texts. */
START_TEST(texts_fit_and_the_configuration_has_no_fault)
{
    bool there[INIT_PARTS_MAX];
    char octets[INIT_TEXT_SIZE];
    struct init_terms terms = {
        "interface-name1", {{198, 151, 100, 254}}, true, "/srv/tftp", LOADER_ANY, there};
    memset(there, true, sizeof there);
    for (size_t i = 0; i < init_part_count; i++) {
        if (init_parts[i].kind == INIT_MENU) {
            struct text t = {octets, sizeof octets, 0};
            init_menu(&t, init_parts[i].target, &terms);
            ck_assert_msg(t.used > 0 && t.used < sizeof octets - 1, "%s",
                          init_parts[i].target);
        }
    }
    struct text t = {octets, sizeof octets, 0};
    struct faults faults = {0};
    init_configuration(&t, &terms);
    struct snapshot *s = config_read(octets, t.used, &faults);
    ck_assert_msg(s && faults.count == 0, "%s", faults.count ? faults.list[0].text : "");
    snapshot_free(s);
    faults_done(&faults);
}
END_TEST

Suite *suite_app_init(void)
{
    Suite *s = suite_create("app/init");
    TCase *tc = tcase_create("tables and texts");
    tcase_add_test(tc, parts_need_earlier_parts);
    tcase_add_test(tc, chains_are_of_parts_and_architectures);
    tcase_add_test(tc, chains_of_an_architecture_are_neighbours);
    tcase_add_test(tc, a_chain_is_chosen_only_when_it_is_whole);
    tcase_add_test(tc, loaders_go_by_their_names);
    tcase_add_test(tc, images_are_made_by_programs_of_packages);
    tcase_add_test(tc, a_disk_goes_on_by_tftp);
    tcase_add_test(tc, texts_fit_and_the_configuration_has_no_fault);
    suite_add_tcase(s, tc);
    return s;
}
