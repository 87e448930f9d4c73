/*
 * app/service_user: can the user that pxed becomes read what it is to serve?
 *
 * Looks with that user's rights at the boot files and their root, at the configuration and
 * the host files, if this process may take them on: it must be root.  The rights of the
 * process are as before afterwards.
 *
 * Errors: an unreadable boot file is a fault, what only a reload would miss a warning.
 * Shell: app/eyes, open.
 */
#ifndef APP_SERVICE_USER_H
#define APP_SERVICE_USER_H

#include "app/configuration.h"

void service_user_check(struct configuration *c);

#endif
