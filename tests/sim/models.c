/*
 * The clients, as far as a TFTP server can tell them apart.  Each from its source or from
 * measurements of the real one; the odd ones are what servers have been broken by.
 */
#include <stdlib.h>

#include "tests/sim/client.h"

#define MSEC USEC_PER_MSEC
#define SEC  USEC_PER_SEC

const struct sim_model sim_models[] = {
    {
        /* RFC 1350 and 7440 by the letter; lingers ("dallying"). */
        .name = "rfc",
        .window = 16,
        .on_gap = SIM_GAP_ACK_ONCE,
        .on_old = SIM_OLD_ACK_LAST,
        .timer_recounts = true,
        .lingers = true,
        .retry = 2 * SEC,
        .retry_growth = 100,
        .retry_max = 2 * SEC,
        .retries = 10,
    },
    {
        /* Mtftp4Rrq.c: one ACK per unexpected block, old or later, and the count of the
         * window restarts at every ACK; 4 s from its last packet, which it repeats. */
        .name = "edk2",
        .window = 4,
        .on_gap = SIM_GAP_ACK_EACH,
        .on_old = SIM_OLD_ACK_LAST,
        .repeats_last_ack = true,
        .retry = 4 * SEC,
        .retry_growth = 100,
        .retry_max = 4 * SEC,
        .retries = 6,
    },
    {
        /* Before 2020 it knew no windows; the rest is the same. */
        .name = "edk2-lockstep",
        .on_gap = SIM_GAP_ACK_EACH,
        .on_old = SIM_OLD_ACK_LAST,
        .repeats_last_ack = true,
        .retry = 4 * SEC,
        .retry_growth = 100,
        .retry_max = 4 * SEC,
        .retries = 6,
    },
    {
        /* The same firmware asking for the size only. */
        .name = "edk2-probe",
        .window = 4,
        .on_gap = SIM_GAP_ACK_EACH,
        .on_old = SIM_OLD_ACK_LAST,
        .refuses = true,
        .retry = 4 * SEC,
        .retry_growth = 100,
        .retry_max = 4 * SEC,
        .retries = 6,
    },
    {
        /* net/tftp.c of 2023.01: one ACK per place where it lost its way, none for block 1
         * (its "last NACK" starts as 0); the next ACK is a window after that one; its
         * timer repeats the ACK but does not move that point.  31 receive buffers. */
        .name = "u-boot",
        .window = 16,
        .on_gap = SIM_GAP_ACK_ONCE,
        .on_old = SIM_OLD_ACK_ONCE,
        .no_nack_for_first = true,
        .timer_on_progress = true,
        .retry = 5 * SEC,
        .retry_growth = 100,
        .retry_max = 5 * SEC,
        .retries = 10,
        .ring = 31,
        .packet_cost = 25,
    },
    {
        /* Windows Boot Manager with msftwindow, as far as it is public: the octet is in
         * every ACK, +1 after a window without a loss, "drastically" less after one.  The
         * rest is a guess. */
        .name = "bootmgr",
        .window = 4,
        .on_gap = SIM_GAP_ACK_ONCE,
        .on_old = SIM_OLD_ACK_LAST,
        .varies = true,
        .timer_recounts = true,
        .retry = 4 * SEC,
        .retry_growth = 100,
        .retry_max = 4 * SEC,
        .retries = 6,
    },
    {
        /* Later: silent on blocks it has, and (a sign slip) on gaps in the upper half of
         * the numbers. */
        .name = "u-boot-master",
        .window = 16,
        .on_gap = SIM_GAP_ACK_ONCE,
        .on_old = SIM_OLD_SILENT,
        .no_nack_for_first = true,
        .no_nack_over_32767 = true,
        .timer_on_progress = true,
        .retry = 5 * SEC,
        .retry_growth = 100,
        .retry_max = 5 * SEC,
        .retries = 10,
        .ring = 31,
        .packet_cost = 25,
    },
    {
        /* Keeps later blocks in silence, acknowledges old ones by their own number, has no
         * timer of its own: it reads for some 32 s without data and then gives up. */
        .name = "grub",
        .on_gap = SIM_GAP_KEEP,
        .on_old = SIM_OLD_ECHO,
        .needs_oack = true,
        .timer_on_progress = true,
        .retry = 32 * SEC,
        .retry_growth = 100,
        .retry_max = 32 * SEC,
    },
    {
        /* Older GRUB: numbers compared without the wrap. */
        .name = "grub-trap",
        .on_gap = SIM_GAP_SILENT,
        .on_old = SIM_OLD_ECHO,
        .needs_oack = true,
        .numbers_do_not_wrap = true,
        .timer_on_progress = true,
        .retry = 32 * SEC,
        .retry_growth = 100,
        .retry_max = 32 * SEC,
    },
    {
        /* No ACK while 50 packets wait for the program that reads the file. */
        .name = "grub-stall",
        .on_gap = SIM_GAP_KEEP,
        .on_old = SIM_OLD_ECHO,
        .needs_oack = true,
        .timer_on_progress = true,
        .retry = 32 * SEC,
        .retry_growth = 100,
        .retry_max = 32 * SEC,
        .pause_every = 50,
        .pause = 3 * SEC,
    },
    {
        /* Keeps later blocks, acknowledges everything up to the first gap at every packet;
         * gives up once the timer passes 10 s. */
        .name = "ipxe",
        .on_gap = SIM_GAP_KEEP_ACK,
        .on_old = SIM_OLD_ACK_LAST,
        .retry = 250 * MSEC,
        .retry_growth = 200,
        .retry_max = 10 * SEC,
        .retries = 6,
    },
    {
        /* Acknowledges the last good block at every odd packet; ticks of 1/18 s, 2 at
         * first. */
        .name = "pxelinux",
        .on_gap = SIM_GAP_ACK_EACH,
        .on_old = SIM_OLD_ACK_LAST,
        .retry = 110 * MSEC,
        .retry_growth = 120,
        .retry_max = 14 * SEC,
        .retries = 30,
    },
    {
        /* RFC 1350 as most people write it: every DATA is answered with its own number. */
        .name = "naive",
        .on_gap = SIM_GAP_SILENT,
        .on_old = SIM_OLD_ECHO,
        .lingers = true,
        .retry = 1 * SEC,
        .retry_growth = 100,
        .retry_max = 1 * SEC,
        .retries = 30,
    },
    {
        /* Agrees to a window and then acknowledges every block. */
        .name = "every-block",
        .window = 16,
        .on_gap = SIM_GAP_ACK_EACH,
        .on_old = SIM_OLD_ACK_LAST,
        .acks_every_block = true,
        .retry = 2 * SEC,
        .retry_growth = 100,
        .retry_max = 2 * SEC,
        .retries = 10,
    },
    {
        /* Agrees to a window and answers every block, old ones too, with its number. */
        .name = "echo",
        .window = 4,
        .on_gap = SIM_GAP_ACK_EACH,
        .on_old = SIM_OLD_ECHO,
        .acks_every_block = true,
        .lingers = true,
        .retry = 2 * SEC,
        .retry_growth = 100,
        .retry_max = 2 * SEC,
        .retries = 10,
    },
    {
        /* A boot ROM whose card holds one packet until it is fetched. */
        .name = "one-buffer",
        .on_gap = SIM_GAP_SILENT,
        .on_old = SIM_OLD_ACK_LAST,
        .retry = 1 * SEC,
        .retry_growth = 100,
        .retry_max = 4 * SEC,
        .retries = 10,
        .ring = 1,
        .packet_cost = 100,
    },
    {
        /* Writes each block to flash before it acknowledges it: AudioCodes phones. */
        .name = "slow",
        .on_gap = SIM_GAP_SILENT,
        .on_old = SIM_OLD_ACK_LAST,
        .retry = 10 * SEC,
        .retry_growth = 100,
        .retry_max = 10 * SEC,
        .retries = 10,
        .ring = 8,
        .block_cost = 4 * SEC,
    },
    {
        /* Sends random ACKs beside the honest ones. */
        .name = "liar",
        .window = 16,
        .on_gap = SIM_GAP_ACK_EACH,
        .on_old = SIM_OLD_ACK_LAST,
        .lies = true,
        .retry = 1 * SEC,
        .retry_growth = 100,
        .retry_max = 1 * SEC,
        .retries = 10,
    },
};

const unsigned sim_model_count = sizeof sim_models / sizeof sim_models[0];

const struct sim_model *sim_model(const char *name)
{
    for (unsigned i = 0; i < sim_model_count; i++) {
        if (strcmp(sim_models[i].name, name) == 0) {
            return &sim_models[i];
        }
    }
    abort();
}
