#include "tftp/end.h"

const char *tftp_end_name(enum tftp_end end)
{
    static const char *const names[TFTP_END_COUNT] = {
        [TFTP_END_NONE] = "none",
        [TFTP_END_DONE] = "done",
        [TFTP_END_NO_FINAL_ACK] = "no-final-ack",
        [TFTP_END_PROBE] = "probe",
        [TFTP_END_ABORTED] = "aborted",
        [TFTP_END_NO_ANSWER] = "no-answer",
        [TFTP_END_STALLED] = "stalled",
        [TFTP_END_UNREACHABLE] = "unreachable",
        [TFTP_END_DISPLACED] = "displaced",
        [TFTP_END_CLOSED] = "closed",
    };
    return names[end];
}
