/*
 * app/orders: commands that are carried out by the pxed that runs.
 *
 * Ownership: the answer is the caller's.  Shell: control socket, standard error.
 */
#ifndef APP_ORDERS_H
#define APP_ORDERS_H

#include <jansson.h>

/* How long to wait for an answer: to what is answered at once, and to a reload. */
#define ORDER_SHORT_MS 5000
#define ORDER_LONG_MS  60000

/*
 * Asks the process that serves by this configuration file.  NULL after a complaint: nobody
 * answered, or not in time.  Takes the question.
 */
json_t *order(const char *configuration, json_t *question, unsigned patience_ms);

/*
 * In two steps, for who asks again and again: where to ask (malloc'd; NULL after a
 * complaint), and the asking, which takes the question and gives up after patience_ms
 * without a word.  Errors: -errno, which order_complain() puts in words;
 * -ETIMEDOUT after the patience.
 */
char *order_path(const char *configuration);
int order_at(const char *path, json_t *question, unsigned patience_ms, json_t **answer);
void order_complain(const char *path, int error);

/* A member of an answer that is a string, "" when it is none; a view. */
const char *answer_text(const json_t *answer, const char *key);

#endif
