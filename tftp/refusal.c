#include "tftp/refusal.h"

const struct tftp_refusal *tftp_refusal(enum tftp_refused why)
{
    static const struct tftp_refusal all[TFTP_REFUSED_COUNT] = {
        [TFTP_NO_FILE] = {"file-not-found", TFTP_ERR_NOT_FOUND, "file not found"},
        [TFTP_NOT_REGULAR] = {"not-a-regular-file", TFTP_ERR_NOT_FOUND,
                              "not a regular file"},
        [TFTP_NO_ACCESS] = {"access-denied", TFTP_ERR_ACCESS, "access denied"},
        [TFTP_TOO_LARGE] = {"too-large", TFTP_ERR_UNDEFINED,
                            "too large for netascii, ask for octet"},
        [TFTP_TROUBLE] = {"trouble", TFTP_ERR_UNDEFINED,
                          "cannot read the file now, try again"},
        [TFTP_DISK_SILENT] = {"disk-silent", TFTP_ERR_UNDEFINED,
                              "the disk does not answer"},
        [TFTP_CROWDED] = {"crowded", TFTP_ERR_UNDEFINED, "too many transfers, try again"},
        [TFTP_READ_ONLY] = {"read-only", TFTP_ERR_ACCESS, "this server is read only"},
        [TFTP_BAD_REQUEST] = {"malformed", TFTP_ERR_ILLEGAL_OP, "malformed request"},
        [TFTP_NO_NAME] = {"no-name", TFTP_ERR_NOT_FOUND, "no file name"},
        [TFTP_NAME_TOO_LONG] = {"name-too-long", TFTP_ERR_NOT_FOUND,
                                "file name too long"},
        [TFTP_NO_SUCH_MODE] = {"bad-mode", TFTP_ERR_ILLEGAL_OP,
                               "mode is neither octet nor netascii"},
    };
    return &all[why];
}

enum tftp_refused tftp_refused_packet(enum tftp_fault fault)
{
    switch (fault) {
    case TFTP_EMPTY_NAME:
        return TFTP_NO_NAME;
    case TFTP_LONG_NAME:
        return TFTP_NAME_TOO_LONG;
    case TFTP_BAD_MODE:
        return TFTP_NO_SUCH_MODE;
    default:
        return TFTP_BAD_REQUEST;
    }
}
