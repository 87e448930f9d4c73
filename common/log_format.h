/*
 * common/log_format: a line of the log in the three forms it is written in.
 *
 *     text      17:04:05.123 warning: dhcp silent mac=52:54:00:12:34:56 reason=no-file
 *     JSON      {"time": "2026-11-30T17:04:05.123Z", "level": "warning", "event": "dhcp silent",
 *                "id": "4ccd...", "mac": "52:54:00:12:34:56", "reason": "no-file"}
 *     journal   MESSAGE=dhcp silent mac=... and PRIORITY=, SYSLOG_IDENTIFIER=, MESSAGE_ID=,
 *               PXE_MAC=, PXE_REASON=: a field for each of the line's own
 *
 * Keys of JSON that no field of a line may have: time, level, event, id, note (a sentence),
 * repeated.  Message IDs are fixed for ever: whoever filters by one relies on it.
 *
 * Ownership: text is said into the caller's buffer, LOG_FORMATTED octets of which always
 * suffice.  Pure.
 * Spec: systemd's "Native Journal Protocol"; no value has a line end, so the form with
 * "KEY=value" lines does.
 */
#ifndef COMMON_LOG_FORMAT_H
#define COMMON_LOG_FORMAT_H

#include "common/log_line.h"
#include "common/text.h"

#define LOG_FORMATTED (4 * LOG_VALUES + LOG_FIELDS * 48 + 512)

/* head: a time, "<6>", or nothing.  show_level: name what is not plain information. */
void log_as_text(const struct log_line *l, const char *head, bool show_level,
                 struct text *out);
void log_as_json(const struct log_line *l, const char *time, struct text *out);
void log_as_journal(const struct log_line *l, struct text *out);

const char *log_level_name(enum log_level level);
/* As syslog(3) numbers it. */
int log_priority(enum log_level level);
/* 128 bits in hexadecimal; NULL: a sentence, or an event that has none. */
const char *log_message_id(const struct log_line *l);

#endif
