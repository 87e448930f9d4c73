#include "app/init_texts.h"

#include <stdio.h>
#include <string.h>

#define MADE "made by `pxed init`, which leaves it alone once you have changed it"

static bool has(const struct init_terms *terms, const char *target)
{
    return terms->there[init_part_of(target)];
}

static void say_address(struct text *t, const struct init_terms *terms)
{
    char address[IP4_TEXT];
    text_say(t, "%s", ip4_print(terms->address, address));
}

/* -- menus -------------------------------------------------------------------------------- */

static void ipxe_menu(struct text *t, const struct init_terms *terms)
{
    bool memtest = has(terms, "memtest/memtest86+x64.bin") &&
                   has(terms, "memtest/memtest86+x64.efi");
    text_say(t, "#!ipxe\n"
                "# What a machine shows that runs iPXE; " MADE ".\n"
                ":menu\n"
                "menu pxed on ");
    say_address(t, terms);
    text_say(t, ", to ${netX/mac} ${netX/ip}\n"
                "item disk     Boot from disk\n");
    if (memtest) {
        text_say(t, "item memtest  Test the memory\n");
    }
    text_say(t, "item network  Network settings\n"
                "item shell    iPXE's command line\n"
                "choose --timeout 20000 --default disk chosen && goto ${chosen} ||\n"
                ":disk\n"
                "iseq ${platform} efi && exit ||\n"
                "sanboot --no-describe --drive 0x80 ||\n"
                "exit\n");
    if (memtest) {
        text_say(t, ":memtest\n"
                    "iseq ${platform} efi && chain memtest/memtest86+x64.efi ||\n"
                    "chain memtest/memtest86+x64.bin ||\n"
                    "goto menu\n");
    }
    text_say(t, ":network\n"
                "config\n"
                "goto menu\n"
                ":shell\n"
                "shell\n"
                "goto menu\n");
}

static void grub_memtest(struct text *t, const struct init_terms *terms)
{
    if (has(terms, "memtest/memtest86+x64.bin") && has(terms, "grub.0")) {
        text_say(t, "if [ \"$grub_platform\" = pc ]; then\n"
                    "    menuentry \"Test the memory\" { linux "
                    "/memtest/memtest86+x64.bin }\n"
                    "fi\n");
    }
    if (has(terms, "memtest/memtest86+x64.efi")) {
        text_say(t, "if [ \"$grub_platform\" = efi -a \"$grub_cpu\" = x86_64 ]; then\n"
                    "    menuentry \"Test the memory (not with Secure Boot)\" {\n"
                    "        chainloader /memtest/memtest86+x64.efi\n"
                    "    }\n"
                    "fi\n");
    }
    if (has(terms, "memtest/memtest86+ia32.efi")) {
        text_say(t, "if [ \"$grub_platform\" = efi -a \"$grub_cpu\" = i386 ]; then\n"
                    "    menuentry \"Test the memory\" {\n"
                    "        chainloader /memtest/memtest86+ia32.efi\n"
                    "    }\n"
                    "fi\n");
    }
}

/*
 * "normal" looks for this machine's own configuration first, as GRUB does at its start; but
 * Debian's signed one does not.
 */
#define SEARCH                                                                           \
    "set searched=yes\n"                                                                 \
    "export searched\n"                                                                  \
    "normal\n"

/* GRUB may have come from a disk, or with another server in mind: so it is told the root. */
static void grub_menu(struct text *t, const struct init_terms *terms)
{
    text_say(t, "# What a machine shows that runs GRUB; " MADE ".\n"
                "set root=(tftp,");
    say_address(t, terms);
    text_say(t, ")\n"
                "if [ \"$searched\" != yes ]; then\n" SEARCH "fi\n"
                "set timeout=20\n"
                "menuentry \"Boot from disk\" { exit }\n");
    grub_memtest(t, terms);
    text_say(t, "menuentry \"Network settings\" {\n"
                "    net_ls_addr\n"
                "    net_ls_routes\n"
                "    sleep --interruptible 60\n"
                "}\n"
                "if [ \"$grub_platform\" = efi ]; then\n"
                "    menuentry \"Firmware setup\" { fwsetup }\n"
                "fi\n"
                "menuentry \"Restart\" { reboot }\n");
}

/* "::" makes a name begin at the boot root, not beside PXELINUX. */
static void pxelinux_menu(struct text *t, const struct init_terms *terms, bool bios)
{
    bool memtest = bios && has(terms, "memtest/memtest86+x64.bin");
    text_say(t, "# What a machine shows that runs PXELINUX; " MADE ".\n"
                "SAY pxed on ");
    say_address(t, terms);
    text_say(t,
             ": type disk%s, or the name of a kernel; disk comes by itself after 20 s\n"
             "PROMPT 1\n"
             "TIMEOUT 200\n"
             "DEFAULT disk\n"
             "LABEL disk\n"
             "  LOCALBOOT %d\n",
             memtest ? " or memtest" : "", bios ? 0 : -1);
    if (memtest) {
        text_say(t, "LABEL memtest\n"
                    "  KERNEL ::memtest/memtest86+x64.bin\n");
    }
}

void init_menu(struct text *t, const char *target, const struct init_terms *terms)
{
    if (strcmp(target, "boot.ipxe") == 0) {
        ipxe_menu(t, terms);
    } else if (strcmp(target, "grub/grub.cfg") == 0) {
        grub_menu(t, terms);
    } else {
        pxelinux_menu(t, terms, strcmp(target, "pxelinux.cfg/default") == 0);
    }
}

void init_disk_menu(struct text *t, const struct init_terms *terms)
{
    text_say(t, "# The firmware has brought this disk by HTTP; GRUB goes on by TFTP.\n"
                "net_bootp\n"
                "set prefix=(tftp,");
    say_address(t, terms);
    text_say(t, ")/grub\n" SEARCH);
}

/* -- the configuration -------------------------------------------------------------------- */

/* The chain of this row, if its architecture boots by it. */
static const struct init_chain *chosen(size_t row, const struct init_terms *terms)
{
    const struct init_chain *c = &init_chains[row];
    return init_chain_choose(c->arch, terms->preferred, terms->there) == c ? c : NULL;
}

static void say_entries(struct text *t, const struct init_terms *terms)
{
    for (size_t i = 0; i < init_chain_count; i++) {
        const struct init_chain *c = chosen(i, terms);
        if (c) {
            text_say(t, "      // %s\n      \"%s\": \"%s\",\n", c->words, c->arch,
                     c->file[0]);
        }
    }
    text_say(t, "      // an iPXE that runs already, whoever loaded it\n"
                "      \"ipxe\": \"boot.ipxe\"\n");
}

static void say_interface(struct text *t, const struct init_terms *terms)
{
    if (!terms->address_said) {
        text_say(t, "  \"interfaces\": [\"%s\"],\n", terms->interface);
        return;
    }
    text_say(t, "  \"interfaces\": [{ \"name\": \"%s\", \"address\": \"",
             terms->interface);
    say_address(t, terms);
    text_say(t, "\" }],\n");
}

bool init_needs_next_server(const struct init_terms *terms)
{
    bool needs = false;
    for (size_t i = 0; i < init_chain_count; i++) {
        const struct init_chain *c = chosen(i, terms);
        needs = needs || (c && c->loader == LOADER_SHIM && !strstr(c->arch, "-http"));
    }
    return needs;
}

void init_configuration(struct text *t, const struct init_terms *terms)
{
    text_say(t, "// " MADE ".\n"
                "// `pxed check` tells its faults and what each architecture boots.\n"
                "{\n"
                "  // Where PXE clients are answered.\n");
    say_interface(t, terms);
    if (init_needs_next_server(terms)) {
        text_say(
            t,
            "\n"
            "  // GRUB behind shim finds this server only if the DHCP server names it\n"
            "  // as its next server.  See to that.\n"
            "  \"dhcp\": { \"next_server_is_us\": true },\n");
    }
    text_say(t,
             "\n"
             "  // Boot files lie beneath this directory.\n"
             "  \"tftp\": { \"root\": \"%s\" },\n"
             "\n"
             "  // By HTTP they come, too: UEFI HTTP Boot asks for that.\n"
             "  \"http\": { \"listen\": \":8069\", \"boot_files\": true },\n"
             "\n"
             "  \"profiles\": {\n"
             "    // What a machine loads, by the architecture that it tells.\n"
             "    \"default\": {\n",
             terms->root);
    say_entries(t, terms);
    text_say(t,
             "    }\n"
             "  },\n"
             "\n"
             "  // Machines that get something else, such as\n"
             "  //   { \"name\": \"pc-1\", \"mac\": \"52:54:00:12:34:56\", \"action\": "
             "\"ignore\" }\n"
             "  \"hosts\": [],\n"
             "\n"
             "  // Everybody else.\n"
             "  \"unknown_hosts\": { \"profile\": \"default\" }\n"
             "}\n");
}
