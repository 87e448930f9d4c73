/*
 * app/orders: commands that are carried out by the pxed that runs.
 *
 * Ownership: the answer is the caller's.  Shell: control socket, standard error.
 */
#ifndef APP_ORDERS_H
#define APP_ORDERS_H

#include <jansson.h>

/*
 * Asks the process that serves by this configuration file.  NULL after a complaint: nobody
 * answered.  Takes the question.
 */
json_t *order(const char *configuration, json_t *question);

#endif
