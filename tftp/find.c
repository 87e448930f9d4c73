#include "tftp/find.h"

#include <stdio.h>

enum store_fault tftp_find(struct store *store, const struct tftp_hooks *hooks,
                           const struct tftp_wanted *wanted, struct tftp_found *out)
{
    static const enum tftp_turn turns[] = {TFTP_BEFORE_DISK, TFTP_NOT_ON_DISK};
    struct tftp_answer answer = {0};
    enum store_fault fault = STORE_NOT_FOUND;
    out->why[0] = '\0';
    for (unsigned i = 0; i < 2 && fault == STORE_NOT_FOUND; i++) {
        enum tftp_virtual found =
            hooks->find ? hooks->find(hooks->context, wanted->peer, wanted->local,
                                      wanted->name, turns[i], &answer)
                        : TFTP_VIRTUAL_NONE;
        if (found == TFTP_VIRTUAL_REFUSED) {
            snprintf(out->why, sizeof out->why, "%s", answer.why);
            return STORE_NOT_FOUND;
        }
        if (found == TFTP_VIRTUAL_TEXT) {
            return store_text(answer.octets, answer.len, wanted->mode, &out->file);
        }
        if (found == TFTP_VIRTUAL_FILE) {
            return store_get(store, answer.file, wanted->mode, &out->file, &out->repairs);
        }
        if (turns[i] == TFTP_BEFORE_DISK) {
            fault =
                store_get(store, wanted->name, wanted->mode, &out->file, &out->repairs);
        }
    }
    return fault;
}
