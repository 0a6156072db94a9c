/* nxtrace: each host sends messages to the next one while its NIC keeps what passes its FIFOs (S4 2.8), and says what
 * looks wrong in it.
 *
 *   nxtrace [--messages N] [--size BYTES] [--freeze NAME,NAME...] [--after N] [--link N] [--packets] [--save NAME]
 *
 * 16 messages of 4096 bytes. --freeze: bits of STATUS by name, or HEADER_CRC: the first of them freezes the trace,
 * `--after` (100) entries later; without it the traces go round until all has passed, and a silence behind it, in which
 * all must be credited. --link: the one of several links whose points are recorded (nx_trace.h). --packets: all packets
 * and events are shown. --save: NAME.0, NAME.1 ... are for the tool nxtrace. An error of a message is printed, and the
 * trace is taken all the same; each word of a message contains its place (nx_payload.h). A NIC without tracing memories
 * is refused: NIC=monitored.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nic_register_map.h"
#include "nx_host.h"
#include "nx_number.h"
#include "nx_payload.h"
#include "nx_save.h"
#include "nx_trace.h"

enum { SILENCE_NS = 120000 /* two credits of each lane come in it: the NIC repeats them every 52.4 us */ };

static nx_trace trace;

static int failed(nx_host *host, const char *what)
{
    nx_print(host, "%s: %s", what, nx_last_error(host->device));
    return 1;
}

/* Failures here are the purpose of the trace. */
static void send_messages(nx_host *host, unsigned bytes, unsigned messages, uint64_t source)
{
    unsigned to = (host->rank + 1) % host->hosts, from = (host->rank + host->hosts - 1) % host->hosts;
    nx_notification n;
    for (unsigned i = 0; i < messages; i++)
        if (nx_transfer(host->device, to, source, (uint32_t)host->shared, bytes,
                        i + 1 < messages ? 0 : NX_REMOTE | NX_LOCAL, NULL)) {
            failed(host, "not sent");
            return;
        }
    if (nx_notification_wait(host->device, host->node_id[from], &n)) failed(host, "not received");
    if (nx_drain(host->device, to)) failed(host, "not sent");
}

/* After a silence the receiver has forgotten what it owed. */
static void be_silent(nx_host *host)
{
    uint64_t end = host->platform->now(host->platform->self) + SILENCE_NS;
    while (host->platform->now(host->platform->self) < end) host->platform->wait(host->platform->self);
}

static void report(nx_host *host, int packets)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return;
    if (packets) nx_trace_print(&trace, out);
    unsigned found = nx_trace_check(&trace, out);
    fclose(out);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) nx_print(host, "%s", line);
    free(text);
    char entries[80] = "";
    for (unsigned p = 0; p < NX_TRACE_POINTS && (p < NX_RAW || trace.entries[p]); p++)
        snprintf(entries + strlen(entries), sizeof entries - strlen(entries), "%s%u", p ? ", " : "", trace.entries[p]);
    nx_print(host, "%s entries%s: %s", entries, trace.frozen ? ", frozen" : "",
             found ? "something looks wrong" : "nothing looks wrong");
}

/* Names with commas between them; 0 if one is none. */
static uint32_t causes(char *names)
{
    uint32_t mask = 0;
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
        uint32_t bit = strcmp(name, "HEADER_CRC") ? 0 : NIC_TRACE_FREEZE_HEADER_CRC_MASK;
        for (unsigned i = 0; i < NIC_FIELD_TABLE_COUNT; i++)
            if (nic_fields[i].offset == NIC_STATUS && !strcmp(nic_fields[i].name, name)) bit = 1u << nic_fields[i].lsb;
        if (!bit) return 0;
        mask |= bit;
    }
    return mask;
}

static int save(nx_host *host, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s.%u", name, host->rank);
    FILE *file = nx_save_open(path);
    if (file && !nx_save_close(file, path, nx_trace_save(&trace, file))) return 0;
    return nx_print(host, "%s: %s", path, strerror(errno)), 1;
}

int nx_main(nx_host *host, int argc, char **argv)
{
    static const struct option options[] = {
        {"messages", required_argument, NULL, 'm'}, {"size", required_argument, NULL, 's'},
        {"freeze", required_argument, NULL, 'z'},   {"after", required_argument, NULL, 'a'},
        {"link", required_argument, NULL, 'l'},     {"packets", no_argument, NULL, 'p'},
        {"save", required_argument, NULL, 'f'},     {0}};
    unsigned messages = 16, bytes = 4096, after = 100, link = 0;
    uint32_t mask = 0;
    int packets = 0, c;
    const char *name = NULL;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (c == 'm' && nx_number(optarg, 1, UINT32_MAX, &messages)) continue;
        if (c == 's' && nx_number(optarg, 1, UINT32_MAX, &bytes) && bytes % 8 == 0 && bytes <= host->shared_bytes)
            continue;
        if (c == 'a' && nx_number(optarg, 0, NX_TRACE_ENTRIES - 1, &after)) continue;
        if (c == 'z' && (mask = causes(optarg))) continue;
        if (c == 'l' && nx_number(optarg, 0, 3, &link)) continue;
        if (c == 'p' && (packets = 1)) continue;
        if (c == 'f' && (name = optarg)) continue;
        nx_print(host, "expected [--messages N] [--size BYTES], a multiple of 8, [--freeze NAME,...], bits of STATUS "
                       "or HEADER_CRC, [--after N], "
                       "0..2047, [--link N] [--packets] [--save NAME]");
        return 2;
    }
    uint64_t source = host->platform->alloc(host->platform->self, bytes, 8);
    if (!source) return nx_print(host, "no memory for messages of %u bytes", bytes), 1;
    for (uint32_t i = 0; i < bytes; i += 8) { /* each word contains its place */
        uint64_t word = nx_payload_word(host->rank, i);
        host->platform->mem_write(host->platform->self, source + i, &word, sizeof word);
    }
    if (nx_trace_start(host->device, 1 | NX_TRACE_LINK(link), mask, after)) return failed(host, "no trace");
    send_messages(host, bytes, messages, source);
    be_silent(host);
    if (nx_trace_take(host->device, &trace)) return failed(host, "no trace");
    host->platform->release(host->platform->self, source, bytes);
    report(host, packets);
    return name ? save(host, name) : 0;
}
