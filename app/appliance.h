/*
 * app/appliance: the process, as one value.
 *
 * Made and taken down by app/run.c, looked at by app/hooks.c.
 */
#ifndef APP_APPLIANCE_H
#define APP_APPLIANCE_H

#include "app/configuration.h"
#include "app/confinement.h"
#include "app/control.h"
#include "app/http.h"
#include "app/network.h"
#include "app/notify.h"
#include "app/reload.h"
#include "app/searches.h"
#include "app/state.h"
#include "config/machines.h"
#include "dhcp/service.h"
#include "dhcp/v6_service.h"
#include "tftp/service.h"

struct boot_watch;
struct disk_jobs;
struct evidence_watch;
struct status_verbs;
struct web;

/* The process: what lives from the start to the end of `pxed run`. */
struct appliance {
    struct configuration config;
    struct confinement confinement;
    bool verbose; /* -v: logs everything */
    usec_t began;
    usec_t loaded; /* when config was taken */
    struct loop *loop;
    struct disk_jobs *disk_jobs;
    struct control *control; /* NULL: off, or it could not be opened */
    struct reload *reload;
    struct state *state; /* what is remembered of machines */
    struct machines
        *machines;            /* what DHCP hears, for the doors that only see addresses */
    struct boot_watch *boots; /* every machine's boot */
    struct evidence_watch *evidence; /* recordings of those that failed */
    struct status_verbs *verbs;      /* which tell of them; NULL: no control socket */
    int neighbours;                  /* common/neighbours; -1: cannot be asked */
    struct searches searches[2];     /* over IPv6, and over IPv4 */
    struct dhcp_service *dhcp;       /* NULL: disabled */
    struct dhcp6_service *dhcp6;     /* NULL: disabled, or no IPv6 here */
    struct tftp_service *tftp;       /* NULL: disabled */
    struct web *web;                 /* what an operator sees of it by HTTP */
    struct http *http;               /* NULL: off, or it could not be opened */
    struct network network;
    struct watchdog watchdog;
};

#endif
