/* Conversations packet by packet: what a server must do with the ACKs it gets. */
#include <check.h>

#include "tests/sim/script.h"
#include "tests/sim/suites.h"

#define FILE_OF(blocks)                                                                  \
    ((blocks)*UINT64_C(512) - 1) /* so many blocks of 512, the last short */

/* clang-format off */
static const struct {
    const char *name;
    uint64_t size;
    uint32_t window;
    bool oack;
    const char *script;
} rows[] = {
    /* -- the Sorcerer's Apprentice ------------------------------------------------- */
    {"D-01 an ACK twice, no options", FILE_OF(4), 1, false,
     "< DATA 1; > ACK 1; < DATA 2; > ACK 1; > ACK 1; > ACK 2; < DATA 3; > ACK 2; > ACK 3;"
     "< DATA 4; > ACK 3; > ACK 4; = done"},
    {"D-01 ACK 0 twice, window 1", FILE_OF(3), 1, true,
     "< OACK; > ACK 0; < DATA 1; > ACK 0; > ACK 0; + 10 ms; > ACK 1; < DATA 2; = open"},
    {"D-01 every ACK of a window twice", FILE_OF(12), 4, true,
     "< OACK; + 1 ms; > ACK 0; < DATA 1..4; + 1 ms; > ACK 4; < DATA 5..8; > ACK 4;"
     "+ 1 ms;"
     "> ACK 8; < DATA 9..12; > ACK 8; + 1 ms; > ACK 12; = done"},
    {"D-14 three ACKs for a lost first block are one repeat", FILE_OF(12), 4, true,
     "< OACK; + 1 ms; > ACK 0; < DATA 1..4; + 1 ms; > ACK 4; < DATA 5..8; + 1 ms;"
     "> ACK 4;"
     "> ACK 4; > ACK 4; + 3 ms; < DATA 5..8; > ACK 8; < DATA 9..12; = open"},
    {"D-14 four echoes of old blocks are one window at most", FILE_OF(20), 4, true,
     "< OACK; + 1 ms; > ACK 0; < DATA 1..4; + 1 ms; > ACK 4; < DATA 5..8; > ACK 4;"
     "> ACK 4;"
     "> ACK 4; > ACK 4; + 1 ms; > ACK 8; < DATA 9..12; + 1 ms; > ACK 12; < DATA 13..16"},

    /* -- numbers that cannot be ---------------------------------------------------- */
    {"D-02 a stale ACK", FILE_OF(9), 1, true,
     "< OACK; > ACK 0; play 3; < DATA 4; > ACK 1; > ACK 2; + 10 ms; > ACK 4; < DATA 5"},
    {"D-03 an ACK beyond what was sent", FILE_OF(90), 1, false,
     "< DATA 1; > ACK 50; > ACK 2; > ACK 0; > ACK 65535; > ACK 1; < DATA 2; > ACK 50;"
     "> ACK 3; > ACK 2; < DATA 3"},
    {"D-03 an ACK beyond a window", FILE_OF(90), 4, true,
     "< OACK; > ACK 0; < DATA 1..4; > ACK 5; > ACK 32768; > ACK 65535; > ACK 4;"
     "< DATA 5..8"},
    {"D-09 ACK 65535 twice while block 0 is out", FILE_OF(70000), 1, true,
     "< OACK; > ACK 0; play 65535; < DATA 65536; > ACK 65535; > ACK 65535; = open;"
     "> ACK 0;"
     "< DATA 65537; > ACK 65535; > ACK 1; < DATA 65538"},

    /* -- the first packet ---------------------------------------------------------- */
    {"D-04 the OACK answered with ACK 1", FILE_OF(9), 1, true,
     "< OACK; > ACK 1; wait 300..600 ms; < OACK; > ACK 0; < DATA 1"},
    {"D-05 a lost OACK is sent again", FILE_OF(9), 4, true,
     "< OACK; wait 300..600 ms; < OACK; > ACK 0; < DATA 1..4"},
    {"D-05 a lost ACK 0 too", FILE_OF(9), 4, true,
     "< OACK; wait 300..600 ms; < OACK; wait 300..1100 ms; < OACK; > ACK 0; < DATA 1..4"},
    {"D-40 a mute client with options gets three OACKs", FILE_OF(90), 64, true,
     "< OACK; + 600 ms; < OACK; + 3000 ms; < OACK; + 60000 ms; = no-answer"},
    {"D-40 a mute client without options gets block 1 three times", FILE_OF(90), 1, false,
     "< DATA 1; + 600 ms; < DATA 1; + 3000 ms; < DATA 1; + 60000 ms; = no-answer"},
    {"D-20 the request again, 20 ms later", FILE_OF(9), 4, true,
     "< OACK; + 20 ms; > RRQ; = open; + 5 ms; > RRQ; > ACK 0; < DATA 1..4"},
    {"D-20 the request again, without options", FILE_OF(9), 1, false,
     "< DATA 1; + 20 ms; > RRQ; + 5 ms; > ACK 1; < DATA 2"},
    {"D-20 the request again after the answer: a new transfer", FILE_OF(9), 4, true,
     "< OACK; > ACK 0; < DATA 1..4; > RRQ new; = open"},
    {"D-21 no second OACK within the timer", FILE_OF(9), 4, true,
     "< OACK; > RRQ; > RRQ; + 200 ms; > RRQ; = open"},

    /* -- gaps ---------------------------------------------------------------------- */
    {"D-13 ACK 2 of a window of 8 goes back in a round trip", FILE_OF(30), 8, true,
     "< OACK; + 1 ms; > ACK 0; < DATA 1..8; + 1 ms; > ACK 2; wait 0..2 ms; < DATA 3..10;"
     "+ 1 ms; > ACK 10; < DATA 11..18"},
    {"ACK 5 of a repeated window: its first missing block asks", FILE_OF(30), 8, true,
     "< OACK; + 1 ms; > ACK 0; < DATA 1..8; + 1 ms; > ACK 8; < DATA 9..16; + 1 ms;"
     "> ACK 10; wait 0..3 ms; < DATA 11..18; + 1 ms; > ACK 13; wait 0..3 ms; < DATA 14;"
     "wait 1..4 ms; < DATA 15..21; + 1 ms; > ACK 21; < DATA 22..29"},
    {"the same, the client has it all: it goes on", FILE_OF(30), 8, true,
     "< OACK; + 1 ms; > ACK 0; < DATA 1..8; + 1 ms; > ACK 8; < DATA 9..16; + 1 ms;"
     "> ACK 10; wait 0..3 ms; < DATA 11..18; + 1 ms; > ACK 13; wait 0..3 ms;"
     "< DATA 14; + 1 ms;"
     "> ACK 18; < DATA 19..26"},
    {"D-15 the last window, last but one lost", FILE_OF(12), 8, true,
     "< OACK; + 1 ms; > ACK 0; < DATA 1..8; + 1 ms; > ACK 8; < DATA 9..12; + 1 ms;"
     "> ACK 10;"
     "wait 0..2 ms; < DATA 11..12; + 1 ms; > ACK 12; = done"},
    {"silence: the tail first, then the window", FILE_OF(30), 8, true,
     "< OACK; + 1 ms; > ACK 0; < DATA 1..8; wait 15..40 ms; < DATA 8; wait 15..80 ms;"
     "< DATA 1..8; > ACK 8; < DATA 9..16"},
    {"silence: the tail was all that was lost", FILE_OF(30), 8, true,
     "< OACK; + 1 ms; > ACK 0; < DATA 1..8; wait 15..40 ms; < DATA 8; > ACK 8;"
     "< DATA 9..16"},
    {"silences: the window behind it once, however slowly it goes on", FILE_OF(60), 4, true,
     "< OACK; + 1 ms; > ACK 0; < DATA 1..4; wait 1..9000 ms; < DATA 4; wait 1..9000 ms;"
     "< DATA 1..4; wait 1..9000 ms; < DATA 5..8; > ACK 1; wait 0..9000 ms; < DATA 2;"
     "wait 1..9000 ms; < DATA 8; wait 1..9000 ms; < DATA 2..5; wait 1..9000 ms; < DATA 8;"
     "wait 1..9000 ms; < DATA 2..5; wait 1..9000 ms; < DATA 8; = open"},
    {"a large window goes out in parts, a round trip apart", FILE_OF(60), 64, true,
     "< OACK; + 1 ms; > ACK 0; < DATA 1..16; wait 1..2 ms; < DATA 17..32; wait 1..2 ms;"
     "< DATA 33..48; wait 1..2 ms; < DATA 49..60; + 1 ms; > ACK 60; = done"},
    {"the parts end where the client reports a gap", FILE_OF(60), 64, true,
     "< OACK; + 1 ms; > ACK 0; < DATA 1..16; wait 1..2 ms; < DATA 17..32; + 1 ms;"
     "> ACK 9; wait 0..4 ms; < DATA 10..17; wait 0..2 ms; < DATA 18..25; = open"},

    /* -- the end ------------------------------------------------------------------- */
    {"D-11 an exact multiple ends with an empty block", 512, 1, true,
     "< OACK; > ACK 0; < DATA 1; > ACK 1; < DATA 2; > ACK 2; = done"},
    {"D-12 an empty file is one empty block", 0, 1, false, "< DATA 1; > ACK 1; = done"},
    {"D-12 an empty file with options", 0, 16, true,
     "< OACK; > ACK 0; < DATA 1; > ACK 1; = done"},
    {"D-19 the owner closes: port unreachable", FILE_OF(9), 4, true,
     "< OACK; > ACK 0; < DATA 1..4; close; = closed; > ACK 4; + 60000 ms; = closed"},
    {"D-34 ERROR 8 to the OACK: a size probe", FILE_OF(9), 4, true,
     "< OACK; > ERROR 8; = probe; > ACK 0; + 60000 ms; = probe"},
    {"D-34 ERROR 0 to the OACK", FILE_OF(9), 1, true, "< OACK; > ERROR 0; = probe"},
    {"D-34 ERROR 0 to DATA 1", FILE_OF(9), 1, false, "< DATA 1; > ERROR 0; = probe"},
    {"D-34 ERROR 0 in the middle", FILE_OF(9), 1, false,
     "< DATA 1; > ACK 1; < DATA 2; > ERROR 0; = aborted; > ACK 2; + 60000 ms; = aborted"},
    {"D-34 ERROR 9", FILE_OF(9), 1, false,
     "< DATA 1; > ACK 1; < DATA 2; > ERROR 9; = aborted"},
    {"D-34 ERROR 65535", FILE_OF(9), 1, false,
     "< DATA 1; > ACK 1; < DATA 2; > ERROR 65535; = aborted"},
    {"a DATA packet changes nothing", FILE_OF(9), 1, false,
     "< DATA 1; > DATA 1; > ACK 1; < DATA 2; > DATA 2; = open"},
};
/* clang-format on */

#define ROWS ((int)(sizeof rows / sizeof rows[0]))

/* The same with msftwindow, or with blocks sent ahead to a client without windows. */
/* clang-format off */
static const struct {
    const char *name;
    uint64_t size;
    uint32_t window;
    uint32_t ahead; /* 0: msftwindow */
    const char *script;
} more_rows[] = {
    {"msft: each ACK names the next window", FILE_OF(30), 4, 0,
     "< OACK; + 1 ms; > ACK 0 w 2; < DATA 1..2; + 1 ms; > ACK 2 w 5; < DATA 3..7; + 1 ms;"
     "> ACK 7; < DATA 8..12; + 1 ms; > ACK 12 w 1; < DATA 13; + 1 ms; > ACK 13 w 20;"
     "< DATA 14..30; + 1 ms; > ACK 30 w 77; = done"},
    {"msft: no octet in ACK 0: the window agreed", FILE_OF(30), 4, 0,
     "< OACK; + 1 ms; > ACK 0; < DATA 1..4; = open"},
    {"msft: 0 is 1", FILE_OF(30), 4, 0,
     "< OACK; + 1 ms; > ACK 0 w 0; < DATA 1; + 1 ms; > ACK 1 w 2; < DATA 2..3; = open"},
    {"msft: the octet of an ACK about a gap counts", FILE_OF(30), 4, 0,
     "< OACK; + 1 ms; > ACK 0 w 8; < DATA 1..8; + 1 ms; > ACK 2 w 3; wait 0..2 ms;"
     "< DATA 3..5; + 1 ms; > ACK 5 w 4; < DATA 6..9; = open"},
    {"msft: that of a stale one does not", FILE_OF(30), 4, 0,
     "< OACK; + 1 ms; > ACK 0 w 4; < DATA 1..4; + 1 ms; > ACK 4 w 4; < DATA 5..8;"
     "> ACK 1 w 1; + 1 ms; > ACK 8; < DATA 9..12; = open"},

    {"ahead: two, then one more for each", FILE_OF(30), 1, 8,
     "< OACK; + 1 ms; > ACK 0; < DATA 1..2; + 1 ms; > ACK 1; < DATA 3..4; > ACK 2;"
     "< DATA 5..6; = open"},
    {"ahead: no more than is allowed", FILE_OF(30), 1, 3,
     "< OACK; + 1 ms; > ACK 0; < DATA 1..2; + 1 ms; > ACK 1; < DATA 3..4; > ACK 2;"
     "< DATA 5; > ACK 3; < DATA 6; = open"},
    {"ahead: repeated ACKs are one block after a round trip", FILE_OF(30), 1, 4,
     "< OACK; + 1 ms; > ACK 0; < DATA 1..2; + 1 ms; > ACK 2; < DATA 3..6; + 1 ms;"
     "> ACK 2; > ACK 2; > ACK 2; wait 0..2 ms; < DATA 3; + 1 ms; > ACK 6; < DATA 7..8;"
     "= open"},
    {"ahead: a client that dropped the rest gets it again", FILE_OF(30), 1, 4,
     "< OACK; + 1 ms; > ACK 0; < DATA 1..2; + 1 ms; > ACK 2; < DATA 3..6; + 1 ms;"
     "> ACK 2; > ACK 2; wait 0..2 ms; < DATA 3; + 1 ms; > ACK 3; < DATA 4..5; = open"},
    {"ahead: a client that was only away does not", FILE_OF(30), 1, 4,
     "< OACK; + 1 ms; > ACK 0; < DATA 1..2; + 1 ms; > ACK 2; < DATA 3..6; wait 5..30 ms;"
     "< DATA 3; > ACK 3; > ACK 4; < DATA 7..8; > ACK 5; < DATA 9; > ACK 6; < DATA 10;"
     "= open"},
    {"ahead: never over the wrap", FILE_OF(65600), 1, 8,
     "< OACK; > ACK 0; play 65533; < DATA 65535; > ACK 65534; + 1 ms; = open;"
     "> ACK 65535; < DATA 65536..65543; = open"},
    {"ahead: an ACK twice with one block out is silence", FILE_OF(2), 1, 8,
     "< OACK; + 1 ms; > ACK 0; < DATA 1..2; + 1 ms; > ACK 1; > ACK 1; > ACK 1; + 2 ms;"
     "> ACK 2; = done"},
};
/* clang-format on */

#define MORE_ROWS ((int)(sizeof more_rows / sizeof more_rows[0]))

START_TEST(the_varying_ones_go_as_written)
{
    const struct tftp_terms terms = {
        .file_size = more_rows[_i].size,
        .blksize = 512,
        .window = more_rows[_i].window,
        .ahead = more_rows[_i].ahead,
        .msft_window = more_rows[_i].ahead == 0,
        .oack = true,
        .rto_max = TFTP_RTO_MAX,
        .patience = TFTP_PATIENCE,
    };
    char complaint[400] = "";
    bool good = sim_script(&terms, more_rows[_i].script, complaint, sizeof complaint);
    ck_assert_msg(good, "%s: %s", more_rows[_i].name, complaint);
}
END_TEST

START_TEST(conversation_goes_as_written)
{
    const struct tftp_terms terms = {
        .file_size = rows[_i].size,
        .blksize = 512,
        .window = rows[_i].window,
        .oack = rows[_i].oack,
        .rto_max = TFTP_RTO_MAX,
        .patience = TFTP_PATIENCE,
    };
    char complaint[400] = "";
    bool good = sim_script(&terms, rows[_i].script, complaint, sizeof complaint);
    ck_assert_msg(good, "%s: %s", rows[_i].name, complaint);
}
END_TEST

TCase *sim_conversations(void)
{
    TCase *tc = tcase_create("conversations");
    tcase_add_loop_test(tc, conversation_goes_as_written, 0, ROWS);
    tcase_add_loop_test(tc, the_varying_ones_go_as_written, 0, MORE_ROWS);
    return tc;
}
