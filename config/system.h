/*
 * config/system: a kernel, its initrds and its command line, as the configuration of a loader.
 *
 *     #!ipxe                       DEFAULT pxed                linux (tftp,10.0.0.2)/k 'a'
 *     kernel tftp://10.0.0.2/k a   LABEL pxed                  initrd (tftp,10.0.0.2)/i
 *     initrd tftp://10.0.0.2/i       LINUX 10.0.0.2::k ...     boot
 *
 * Every file is named with its server: behind a proxy GRUB and iPXE may take another host for
 * it.  The command line is written as the kernel is to read it, with '"' around blanks; what a
 * loader cannot hand on as it is makes the outcome a fault, never another command line.
 *
 * Which names are answered so: those a loader asks for one machine (by its MAC), and the last
 * of its search.  A file beneath the root goes before each.
 *
 * Ownership: the caller's memory.  Errors: enum template_fault, with its place.  Pure.
 */
#ifndef CONFIG_SYSTEM_H
#define CONFIG_SYSTEM_H

#include "config/template.h"

#define SYSTEM_NAME_MAX 255  /* octets of a file's name, before and after rendering */
#define SYSTEM_ARGS_MAX 2000 /* and of the command line: x86 and PXELINUX take no more */

/* A name that loaders ask for. */
struct system_name {
    enum template_kind kind; /* TEMPLATE_PLAIN: no loader's */
    bool has_mac;
    struct mac mac; /* whose it is */
};

struct system_name system_name_read(const char *name);

/* NULL, or why this cannot be the name of a file, or a command line; variables apart. */
const char *system_name_objection(const char *name);
const char *system_args_objection(const char *args);

/* A name whose variables have become those of one client. */
enum template_fault system_render_name(const struct template_client *client,
                                       const char *text, char out[SYSTEM_NAME_MAX + 1],
                                       struct template_place *place);

/* Where the files are. */
struct system_server {
    const char *host; /* as it stands in a URL: "10.0.0.2", "[fd00::1]" */
    const char *url; /* for iPXE, which loads by more than TFTP: "http://10.0.0.2:8069" */
};

enum template_fault system_render(const struct template_client *client,
                                  const struct system_conf *system,
                                  enum template_kind kind,
                                  const struct system_server *server, struct wr *out,
                                  struct template_place *place);

/* The file that is fetched last: the last initrd, else the kernel.  False: not for this client. */
bool system_last_file(const struct template_client *client,
                      const struct system_conf *system, char out[SYSTEM_NAME_MAX + 1]);

#endif
