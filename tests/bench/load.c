/*
 * bench-load: loads a TFTP server with reading clients and verifies every octet they get.
 *
 *     bench-load --server 10.0.0.1 --file boot.wim --as /srv/tftp/boot.wim --clients 100
 *
 * Prints one JSON object.  Status 0: every client got the whole file; 1: not so; 2: usage.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "tests/bench/crowd.h"

struct load {
    struct crowd_conf crowd;
    struct client_plan plan;
    const char *server;
    const char *port;
    const char *copy; /* path of the file as it should be */
};

static const struct option long_options[] = {
    {"server", required_argument, NULL, 's'},
    {"port", required_argument, NULL, 'p'},
    {"file", required_argument, NULL, 'f'},
    {"as", required_argument, NULL, 'F'},
    {"kind", required_argument, NULL, 'k'},
    {"clients", required_argument, NULL, 'n'},
    {"apart", required_argument, NULL, 'a'},
    {"blksize", required_argument, NULL, 'b'},
    {"window", required_argument, NULL, 'w'},
    {"option", required_argument, NULL, 'o'},
    {"no-tsize", no_argument, NULL, 'T'},
    {"data-loss", required_argument, NULL, 'l'},
    {"ack-loss", required_argument, NULL, 'L'},
    {"seed", required_argument, NULL, 'S'},
    {"round-trip", required_argument, NULL, 'd'},
    {"retry", required_argument, NULL, 'r'},
    {"tries", required_argument, NULL, 't'},
    {"limit", required_argument, NULL, 'x'},
    {"receive-buffer", required_argument, NULL, 'B'},
    {"from", required_argument, NULL, 'A'},
    {"from-count", required_argument, NULL, 'N'},
    {NULL, 0, NULL, 0},
};

static const char usage[] =
    "usage: bench-load --server ADDRESS --file NAME --as PATH [options]\n"
    "  --port N           of the server (69)\n"
    "  --kind KIND        plain, lockstep, edk2, ipxe or bootmgr (plain)\n"
    "  --clients N        how many (1)\n"
    "  --apart USEC       between their starts (0: all at once)\n"
    "  --blksize N        asked for (512: not asked)\n"
    "  --window N         asked for (1: not asked)\n"
    "  --option NAME=VAL  one more option, up to four\n"
    "  --no-tsize         do not ask for the size\n"
    "  --data-loss P      chance that a DATA is lost, 0..1 (0)\n"
    "  --ack-loss P       chance that an ACK is lost (0)\n"
    "  --seed N           of the losses (1)\n"
    "  --round-trip USEC  ACKs leave so much later (0)\n"
    "  --retry MSEC       a client repeats itself after silence (1000)\n"
    "  --tries N          and gives up after so many times (6)\n"
    "  --limit SEC        of the run (60)\n"
    "  --receive-buffer N octets of each client's socket\n"
    "  --from ADDRESS     first IPv4 address of the clients, --from-count N of them "
    "(1)\n";

/* -- the command line --------------------------------------------------------------------- */

static bool to_number(const char *text, double max, double *out)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (errno != 0 || end == text || *end || value < 0 || value > max) {
        (void)fprintf(stderr, "bench-load: %s is no number from 0 to %.0f\n", text, max);
        return false;
    }
    *out = value;
    return true;
}

static bool set_text(struct load *load, int option, const char *text)
{
    struct client_plan *plan = &load->plan;
    switch (option) {
    case 's':
        load->server = text;
        return true;
    case 'p':
        load->port = text;
        return true;
    case 'f':
        plan->file = text;
        return true;
    case 'F':
        load->copy = text;
        return true;
    case 'T':
        plan->tsize = false;
        return true;
    case 'k':
        return client_kind_parse(text, &plan->kind);
    case 'A':
        load->crowd.first_address = ntohl(inet_addr(text));
        return load->crowd.first_address != INADDR_NONE;
    default: /* 'o' */
        if (plan->option_count == CLIENT_OPTIONS_MAX || !strchr(text, '=')) {
            return false;
        }
        plan->options[plan->option_count++] = text;
        return true;
    }
}

static void set_number(struct load *load, int option, double value)
{
    struct crowd_conf *crowd = &load->crowd;
    switch (option) {
    case 'n':
        crowd->clients = (size_t)value;
        break;
    case 'a':
        crowd->apart = (usec_t)value;
        break;
    case 'b':
        load->plan.blksize = (uint32_t)value;
        break;
    case 'w':
        load->plan.window = (uint32_t)value;
        break;
    case 'l':
        crowd->data_loss = value;
        break;
    case 'L':
        crowd->ack_loss = value;
        break;
    case 'S':
        crowd->seed = (uint64_t)value;
        break;
    case 'd':
        crowd->round_trip = (usec_t)value;
        break;
    case 'r':
        crowd->retry = (usec_t)(value * 1e3);
        break;
    case 't':
        crowd->tries = (unsigned)value;
        break;
    case 'x':
        crowd->limit = (usec_t)(value * 1e6);
        break;
    case 'B':
        crowd->receive_buffer = (int)value;
        break;
    default: /* 'N' */
        crowd->address_count = (unsigned)value;
        break;
    }
}

/* The largest value of each option that is a number; 0: a text. */
static double largest(int option)
{
    static const struct {
        int option;
        double max;
    } rows[] = {
        {'n', 20000}, {'a', 1e9},  {'b', 65464}, {'w', 65535}, {'l', 1},
        {'L', 1},     {'S', 1e15}, {'d', 1e9},   {'r', 1e6},   {'t', 1e6},
        {'x', 3600},  {'B', 1e9},  {'N', 65535},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].option == option) {
            return rows[i].max;
        }
    }
    return 0;
}

static bool read_options(struct load *load, int argc, char **argv)
{
    int option;
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        double value;
        if (option == '?') {
            return false;
        }
        if (largest(option) == 0) {
            if (!set_text(load, option, optarg)) {
                (void)fprintf(stderr, "bench-load: bad value: %s\n", optarg);
                return false;
            }
        } else if (to_number(optarg, largest(option), &value)) {
            set_number(load, option, value);
        } else {
            return false;
        }
    }
    return optind == argc && load->server && load->plan.file && load->copy &&
           load->crowd.clients > 0 && load->crowd.address_count > 0 &&
           load->plan.blksize >= 8 && load->plan.window >= 1;
}

/* -- what it works on --------------------------------------------------------------------- */

static int find_server(struct load *load)
{
    struct addrinfo hints = {.ai_socktype = SOCK_DGRAM,
                             .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    struct addrinfo *found;
    int error = getaddrinfo(load->server, load->port, &hints, &found);
    if (error != 0) {
        (void)fprintf(stderr, "bench-load: %s: %s\n", load->server, gai_strerror(error));
        return -EINVAL;
    }
    memcpy(&load->crowd.server, found->ai_addr, found->ai_addrlen);
    load->crowd.server_len = found->ai_addrlen;
    freeaddrinfo(found);
    return 0;
}

static int map_copy(struct load *load)
{
    static const uint8_t nothing;
    struct stat st;
    AUTO(close) int fd = open(load->copy, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        return -errno;
    }
    load->plan.size = (uint64_t)st.st_size;
    load->plan.data = &nothing;
    if (st.st_size > 0) {
        void *data =
            mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
        if (data == MAP_FAILED) {
            return -errno;
        }
        load->plan.data = data;
    }
    return 0;
}

/* -- the result --------------------------------------------------------------------------- */

static int compare_times(const void *a, const void *b)
{
    usec_t x = *(const usec_t *)a;
    usec_t y = *(const usec_t *)b;
    return x < y ? -1 : x > y;
}

/* How long the clients took that got their file. */
static void print_times(const struct crowd *crowd)
{
    usec_t *times = calloc(crowd->conf.clients, sizeof *times);
    size_t n = 0;
    for (size_t i = 0; times && i < crowd->started; i++) {
        const struct crowd_member *m = &crowd->members[i];
        if (m->client.state == CLIENT_DONE) {
            times[n++] = m->ended - m->began;
        }
    }
    if (n > 0) {
        qsort(times, n, sizeof *times, compare_times);
        size_t half = n / 2;
        double median = (double)times[half] / 1e6;
        double slowest = (double)times[n - 1] / 1e6;
        printf(
            "\"fastest\": %.6f, \"median\": %.6f, \"slowest\": %.6f, \"spread\": %.4f, ",
            (double)times[0] / 1e6, median, slowest, slowest / median);
    }
    free(times);
}

static double cpu_seconds(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

static void print_fault(const char *fault)
{
    printf("\"fault\": \"");
    for (; *fault; fault++) {
        printf(*fault == '"' || *fault == '\\' ? "\\%c" : "%c", *fault);
    }
    printf("\"}\n");
}

static void print_result(const struct crowd *crowd)
{
    const struct client_plan *plan = crowd->plan;
    usec_t last = crowd->began;
    for (size_t i = 0; i < crowd->started; i++) {
        usec_t ended = crowd->members[i].ended;
        last = ended > last ? ended : last;
    }
    if (crowd->ok + crowd->failed < crowd->conf.clients) {
        last = crowd->now;
    }
    double seconds = (double)(last - crowd->began) / 1e6;
    printf("{\"kind\": \"%s\", \"clients\": %zu, \"ok\": %zu, \"failed\": %zu, ",
           client_kind_name(plan->kind), crowd->conf.clients, crowd->ok, crowd->failed);
    printf("\"blksize\": %u, \"window\": %u, \"octets\": %lu, \"seconds\": %.6f, ",
           plan->agreed_blksize, plan->agreed_window, plan->octets, seconds);
    printf("\"mbps\": %.4f, ", seconds > 0 ? (double)plan->octets / 1e6 / seconds : 0);
    print_times(crowd);
    printf("\"data\": %lu, \"acks\": %lu, \"duplicates\": %lu, \"early\": %lu, ",
           plan->data_count, crowd->acks, plan->duplicates, plan->early);
    printf("\"gaps\": %lu, \"retries\": %lu, \"lost\": %lu, \"corrupted\": %lu, ",
           plan->gaps, crowd->retries, crowd->lost, plan->corrupted);
    printf("\"cpu\": %.3f, ", cpu_seconds());
    print_fault(plan->fault);
}

int main(int argc, char **argv)
{
    struct crowd crowd;
    struct load load = {
        .crowd = {.address_count = 1,
                  .clients = 1,
                  .retry = USEC_PER_SEC,
                  .tries = 6,
                  .limit = 60 * USEC_PER_SEC,
                  .seed = 1,
                  .progress = isatty(STDERR_FILENO)},
        .plan = {.blksize = 512, .window = 1, .tsize = true},
        .port = "69",
    };
    if (!read_options(&load, argc, argv) || find_server(&load) != 0) {
        (void)fputs(usage, stderr);
        return 2;
    }
    (void)prctl(PR_SET_TIMERSLACK, 1UL);
    int error = map_copy(&load);
    if (error == 0) {
        error = crowd_open(&load.crowd, &load.plan, &crowd);
    }
    if (error != 0) {
        (void)fprintf(stderr, "bench-load: %s: %s\n", load.copy, strerror(-error));
        return 2;
    }
    error = crowd_run(&crowd);
    if (error != 0) {
        (void)fprintf(stderr, "bench-load: %s\n", strerror(-error));
    }
    if (load.crowd.progress) {
        (void)fputs("\r\033[K", stderr);
    }
    print_result(&crowd);
    bool whole = crowd.ok == load.crowd.clients;
    crowd_close(&crowd);
    return error == 0 && whole ? 0 : 1;
}
