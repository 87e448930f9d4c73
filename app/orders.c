#include "app/orders.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/configuration.h"
#include "app/control.h"
#include "app/options.h"
#include "app/unix_socket.h"
#include "common/cleanup.h"
#include "common/tell.h"

static int send_question(int fd, const json_t *question)
{
    AUTO(free) char *text = json_dumps(question, JSON_COMPACT);
    if (!text) {
        return -ENOMEM;
    }
    size_t len = strlen(text) + 1;
    text[len - 1] = '\n';
    ssize_t n = send(fd, text, len, MSG_NOSIGNAL);
    return n < 0 ? -errno : n == (ssize_t)len ? 0 : -EIO;
}

static int read_answer(int fd, json_t **answer)
{
    AUTO(free) char *text = malloc(CONTROL_ANSWER);
    size_t len = 0;
    while (text && len < CONTROL_ANSWER) {
        ssize_t n = recv(fd, text + len, CONTROL_ANSWER - len, 0);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return n < 0 ? -errno : -ECONNRESET;
        }
        len += (size_t)n;
        if (text[len - 1] == '\n') {
            *answer = json_loadb(text, len, 0, NULL);
            return *answer ? 0 : -EPROTO;
        }
    }
    return text ? -EPROTO : -ENOMEM;
}

static int ask(const char *path, const json_t *question, unsigned patience_ms,
               json_t **answer)
{
    AUTO(close) int fd = -1;
    int error = unix_connect(path, patience_ms, &fd);
    if (error == 0) {
        error = send_question(fd, question);
    }
    return error == 0 ? read_answer(fd, answer) : error;
}

int order_at(const char *path, json_t *question, unsigned patience_ms, json_t **answer)
{
    json_auto_t *mine = question;
    int error = mine ? ask(path, mine, patience_ms, answer) : -ENOMEM;
    return error == -EAGAIN ? -ETIMEDOUT : error;
}

char *order_path(const char *configuration)
{
    char *path = configuration_control(configuration);
    if (!path) {
        tell(stderr, "pxed: %s has \"control\": \"off\", so it cannot be asked\n",
             configuration);
    }
    return path;
}

void order_complain(const char *path, int error)
{
    if (error == -ENOENT || error == -ECONNREFUSED) {
        tell(stderr, "pxed: none is running that listens at %s\n", path);
    } else if (error == -ECONNRESET || error == -EACCES || error == -EPIPE) {
        tell(stderr,
             "pxed: %s is for root, the user that pxed serves as, and its group\n", path);
    } else if (error != 0) {
        tell(stderr, "pxed: no answer at %s: %s\n", path, strerror(-error));
    }
}

json_t *order(const char *configuration, json_t *question, unsigned patience_ms)
{
    json_t *answer = NULL;
    AUTO(free) char *path = order_path(configuration);
    if (!path) {
        json_decref(question);
        return NULL;
    }
    order_complain(path, order_at(path, question, patience_ms, &answer));
    return answer;
}

const char *answer_text(const json_t *answer, const char *key)
{
    const char *text = json_string_value(json_object_get(answer, key));
    return text ? text : "";
}

/* False: wrong usage.  What is no option stands at optind. */
static bool parse_arguments(int argc, char **argv, const char **path)
{
    static const struct option_row rows[] = {
        {"config", 'c', OPTION_TEXT, 0},
        {NULL, 0, 0, 0},
    };
    *path = PXED_CONFIGURATION;
    return options_read(rows, NULL, argc, argv, (void *)path);
}

int command_reload(int argc, char **argv)
{
    const char *path;
    if (!parse_arguments(argc, argv, &path) || optind < argc) {
        tell(stderr, "usage: pxed reload [-c FILE]\n");
        return EXIT_USAGE;
    }
    json_auto_t *answer =
        order(path, json_pack("{s:s}", "verb", "reload"), ORDER_LONG_MS);
    if (!answer) {
        return EXIT_FAULT;
    }
    tell(stderr, "%s", answer_text(answer, "report"));
    if (!json_is_true(json_object_get(answer, "ok"))) {
        tell(stderr, "pxed keeps the configuration it has: %s\n",
             answer_text(answer, "error"));
        return EXIT_FAULT;
    }
    tell(stdout, "%s: reloaded, %lld hosts, %lld ms\n", answer_text(answer, "file"),
         (long long)json_integer_value(json_object_get(answer, "hosts")),
         (long long)json_integer_value(json_object_get(answer, "msec")));
    return EXIT_GOOD;
}

/* -- actions on machines ------------------------------------------------------------------ */

static int print_error(const json_t *answer)
{
    tell(stderr, "pxed: %s\n", answer_text(answer, "error"));
    return EXIT_FAULT;
}

/* Machines of which this holds, a line each. */
static int list_machines(const char *path, const char *gate, const char *none)
{
    json_auto_t *answer =
        order(path, json_pack("{s:s}", "verb", "known"), ORDER_SHORT_MS);
    const json_t *machines = json_object_get(answer, "machines");
    size_t shown = 0;
    if (!answer) {
        return EXIT_FAULT;
    }
    for (size_t i = 0; i < json_array_size(machines); i++) {
        const json_t *one = json_array_get(machines, i);
        if (strcmp(answer_text(one, "gate"), gate) == 0) {
            const char *host = answer_text(one, "host");
            tell(stdout, "%s  %-14s %s\n", answer_text(one, "mac"),
                 answer_text(one, "arch"), host);
            shown++;
        }
    }
    if (shown == 0) {
        tell(stdout, "%s\n", none);
    }
    return json_is_true(json_object_get(answer, "ok")) ? EXIT_GOOD : print_error(answer);
}

static int change_machine(const char *path, const char *verb, const char *mac,
                          const char *outcome)
{
    json_auto_t *answer =
        order(path, json_pack("{s:s, s:s}", "verb", verb, "mac", mac), ORDER_SHORT_MS);
    if (!answer) {
        return EXIT_FAULT;
    }
    if (!json_is_true(json_object_get(answer, "ok"))) {
        return print_error(answer);
    }
    tell(stdout, "%s: %s\n", answer_text(answer, "mac"), outcome);
    return EXIT_GOOD;
}

static int machine_command(int argc, char **argv, const char *usage)
{
    const char *path;
    bool approve = strcmp(argv[0], "approve") == 0;
    if (!parse_arguments(argc, argv, &path) || argc - optind > 1) {
        tell(stderr, "%s", usage);
        return EXIT_USAGE;
    }
    if (optind == argc && approve) {
        return list_machines(path, "held", "no machine waits to be approved");
    }
    if (optind == argc) {
        return list_machines(path, "done", "no machine has had its one boot");
    }
    return change_machine(path, argv[0], argv[optind],
                          approve ? "may boot now" : "as the host table says again");
}

int command_approve(int argc, char **argv)
{
    return machine_command(argc, argv,
                           "usage: pxed approve [-c FILE] [MAC]\n"
                           "Lets a machine boot whose action is \"hold\"; without MAC: "
                           "lists those that wait.\n");
}

int command_reset(int argc, char **argv)
{
    return machine_command(
        argc, argv,
        "usage: pxed reset [-c FILE] [MAC]\n"
        "Forgets that a machine was approved, and that its one boot is "
        "done; without MAC:\nlists those whose boot is done.\n");
}
