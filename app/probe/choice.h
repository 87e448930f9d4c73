/*
 * app/probe/choice: which server and file a boot client takes from the answers it got, and
 * what it does next.
 *
 *     choice_make()       after the offers, and again after each question on port 4011, until
 *                         the step is no longer CHOICE_ASK
 *
 * The rules of EDK2, iPXE and U-Boot are those of their sources and were measured; a BIOS ROM
 * is taken to follow PXE 2.1 as EDK2 does, a Raspberry Pi its documentation.
 *
 * Ownership: values only; file is a peer's text, not escaped; why and screen are.
 * Errors: none; CHOICE_NOTHING says why.  Pure.
 */
#ifndef APP_PROBE_CHOICE_H
#define APP_PROBE_CHOICE_H

#include "app/probe/answer.h"
#include "app/request.h"

#define CHOICE_WHY    480
#define CHOICE_SCREEN 120
#define CHOICE_ASKED  8
#define NO_ANSWER     SIZE_MAX

enum choice_step {
    CHOICE_NOTHING, /* it does not boot */
    CHOICE_LOCAL,   /* a menu sends it to its disk */
    CHOICE_ASK,     /* `server` on port 4011, for `item` if it has one */
    CHOICE_TFTP,    /* loads `file` from `server` */
    CHOICE_URL,     /* loads the URL `file` */
};

/* A question that was put on port 4011; its answers are in the list. */
struct choice_question {
    struct ip4 server;
    bool has_item;
    uint16_t item;
};

struct choice_facts {
    enum request_manner manner;
    uint16_t arch;
    const char *serial; /* of a Raspberry Pi */
    struct answer answer[ANSWERS_MAX];
    size_t count;
    struct choice_question asked[CHOICE_ASKED];
    size_t asked_count;
};

struct choice {
    enum choice_step step;
    struct ip4 server;
    bool has_item;
    uint16_t item;
    char file[ANSWER_TEXT];
    char other_file[ANSWER_TEXT]; /* asked for when file is not there; "": none */
    size_t address; /* index of the answer whose address it takes, or NO_ANSWER */
    size_t boot;    /* ... of the one that names server and file */
    const char
        *passed[ANSWERS_MAX];   /* why an answer is not taken; NULL: nothing is wrong */
    char why[CHOICE_WHY];       /* a sentence */
    char screen[CHOICE_SCREEN]; /* what the person in front of it reads; "": not known */
};

void choice_make(const struct choice_facts *facts, struct choice *out);

/* -- what the choices of the clients are made of, for app/probe/choice_*.c alone ---------- */

/* Option 67 before the header's field, as UEFI has it, or the other way round; "": none. */
const char *choice_file(const struct answer *a, bool header_first);

/* Where TFTP goes by this answer: siaddr, else option 54. */
struct ip4 choice_next_server(const struct answer *a);

void choice_say(struct choice *out, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* It stops; what the person sees, then why. */
void choice_stop(struct choice *out, const char *screen, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Loads this file from there; a URL when it is one. */
void choice_load(struct choice *out, struct ip4 server, const char *file);

/* Was this asked on port 4011? */
bool choice_was_asked(const struct choice_facts *f, struct ip4 server);

void choice_ask(struct choice *out, struct ip4 server);
void choice_ask_item(struct choice *out, struct ip4 server, uint16_t item);

/* The answer of a server that was asked on port 4011, or NO_ANSWER. */
size_t choice_reply(const struct choice_facts *f, struct ip4 server,
                    bool (*good)(const struct answer *a));

/* Follows the menu of an answer, whose choice it is; false: there is nothing to follow. */
void choice_menu(const struct choice_facts *f, const struct answer *a,
                 bool (*good)(const struct answer *a), bool header_first,
                 struct choice *out);

void choice_of_pxe(const struct choice_facts *f, struct choice *out);
void choice_of_http(const struct choice_facts *f, struct choice *out);
void choice_of_ipxe(const struct choice_facts *f, struct choice *out);
void choice_of_uboot(const struct choice_facts *f, struct choice *out);
void choice_of_pi(const struct choice_facts *f, struct choice *out);

#endif
