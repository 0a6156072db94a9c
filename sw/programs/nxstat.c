/* nxstat: each host sends messages to the next one and looks at its NIC before, meanwhile and afterwards: registers,
 * counters and states in words, and what has moved.
 *
 *   nxstat [--watch] [--all] [--switch] [--messages N] [--size BYTES] [--save NAME]
 *
 * 16 messages of 4096 bytes; then what differs from reset, --all: everything. --watch: what moved from look to look
 * while they are on their way, instead (a look takes as long as 250 reads of registers). --switch: host 0 looks at the
 * switch as well, or at all of them, through the lines to their boards, which takes longer. --save: NAME.0.before,
 * NAME.0, NAME.1.before ..., NAME.switch.before and NAME.switch (NAME.switch1 and so on) are for the tool nxstat.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nic_register_map.h"
#include "nx_host.h"
#include "nx_number.h"
#include "nx_save.h"
#include "nx_stat.h"
#include "sx_stat.h"

static nx_stat first, before, after;
enum { SWITCHES = 4 };
static struct seen {
    sx_switch at;
    sx_dump_image first, before, after;
} sw[SWITCHES];
static unsigned looked_at; /* switches */

static int failed(nx_host *host, const char *what)
{
    nx_print(host, "%s: %s", what, nx_last_error(host->device));
    return 1;
}

/* All of it, or with `from` what has moved since. */
static void write_report(const nx_stat *from, const nx_stat *to, int all, FILE *out)
{
    if (!from) nx_stat_print(to, all, out);
    else if (!nx_stat_moved(from, to, out)) fprintf(out, "nothing moved\n");
}

static void write_switch_report(unsigned i, int moved, int all, FILE *out)
{
    if (looked_at > 1) fprintf(out, "switch %u\n", i);
    if (!moved) sx_stat_print(&sw[i].at, &sw[i].after, all, out);
    else if (!sx_stat_moved(&sw[i].at, &sw[i].before, &sw[i].after, out)) fprintf(out, "nothing moved\n");
}

/* `moved`: between the last two looks. */
static void report(nx_host *host, int moved, int all)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return;
    write_report(moved ? &before : NULL, &after, all, out);
    for (unsigned i = 0; i < looked_at; i++) write_switch_report(i, moved, all, out);
    fclose(out);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) nx_print(host, "%s", line);
    free(text);
}

/* Of the NIC, or of a switch. */
static int save(nx_host *host, const char *name, const char *end, const nx_stat *stat, unsigned which,
                sx_dump_image *image)
{
    char path[512];
    struct sx_platform dump = sx_dump_platform(image);
    sx_switch saved;
    if (image && which) snprintf(path, sizeof path, "%s.switch%u%s", name, which, end);
    else if (image) snprintf(path, sizeof path, "%s.switch%s", name, end);
    else snprintf(path, sizeof path, "%s.%u%s", name, host->rank, end);
    FILE *file = nx_save_open(path);
    int bad = !file || (image ? sx_open(&saved, &dump) || sx_dump(&saved, file) : nx_stat_save(stat, file));
    if (file && !nx_save_close(file, path, bad)) return 0;
    return nx_print(host, "%s: %s", path, strerror(errno)), 1;
}

static uint32_t transfers(const nx_stat *s) { return s->value[NIC_H2N_DMA_OPS / 4] + s->value[NIC_N2H_DMA_OPS / 4]; }

/* Another look: `before` is then the one before it. */
static int look(nx_host *host, int watch)
{
    before = after;
    if (nx_stat_take(host->device, &after)) return failed(host, "no look");
    for (struct seen *s = sw; s < sw + looked_at; s++) {
        s->before = s->after;
        if (sx_take(&s->at, &s->after)) return nx_print(host, "no look at the switch: %s", s->at.error), 1;
    }
    if (watch) report(host, 1, 0);
    return 0;
}

/* Sends, and looks until nothing goes to or from the host any more, and once more when all has come. */
static int send_messages(nx_host *host, unsigned bytes, unsigned messages, uint64_t source, int watch)
{
    unsigned to = (host->rank + 1) % host->hosts, from = (host->rank + host->hosts - 1) % host->hosts, sent = 0;
    unsigned slots = bytes / nx_parameters(host->device)->transfer_bytes + 1;
    nx_notification n;
    if (slots > nx_slots(host->device)) slots = nx_slots(host->device);
    do {
        for (; sent < messages && nx_free_slots(host->device, to) >= (int)slots; sent++)
            if (nx_transfer(host->device, to, source, (uint32_t)host->shared, bytes,
                            sent + 1 < messages ? 0 : NX_REMOTE | NX_LOCAL, NULL))
                return failed(host, "not sent");
        if (look(host, watch)) return 1;
    } while (transfers(&before) != transfers(&after));
    if (nx_drain(host->device, to)) return failed(host, "not sent");
    if (sent < messages) return nx_print(host, "%u of %u messages sent: no slot for more", sent, messages), 1;
    if (nx_notification_wait(host->device, host->node_id[from], &n)) return failed(host, "not received");
    return look(host, watch);
}

/* Host 0 has the lines to the switches. */
static int open_switch(nx_host *host)
{
    if (!host->switch_monitor) return nx_print(host, "--switch: there is none, expected make run without SWITCH=0"), 2;
    for (; looked_at < host->switches && looked_at < SWITCHES; looked_at++) {
        struct seen *s = &sw[looked_at];
        if (sx_open(&s->at, &host->switch_monitor[looked_at]) || sx_take(&s->at, &s->after))
            return nx_print(host, "switch: %s", s->at.error), 1;
        s->first = s->after;
    }
    return 0;
}

int nx_main(nx_host *host, int argc, char **argv)
{
    static const struct option options[] = {{"watch", no_argument, NULL, 'w'},
                                            {"all", no_argument, NULL, 'a'},
                                            {"switch", no_argument, NULL, 'x'},
                                            {"messages", required_argument, NULL, 'm'},
                                            {"size", required_argument, NULL, 's'},
                                            {"save", required_argument, NULL, 'f'},
                                            {0}};
    unsigned messages = 16, bytes = 4096;
    int watch = 0, all = 0, with_switch = 0, c;
    const char *name = NULL;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (c == 'w' && (watch = 1)) continue;
        if (c == 'a' && (all = 1)) continue;
        if (c == 'x' && (with_switch = 1)) continue;
        if (c == 'm' && nx_number(optarg, 1, UINT32_MAX, &messages)) continue;
        if (c == 's' && nx_number(optarg, 1, UINT32_MAX, &bytes) && bytes % 8 == 0 && bytes <= host->shared_bytes)
            continue;
        if (c == 'f' && (name = optarg)) continue;
        nx_print(host,
                 "expected [--watch] [--all] [--switch] [--messages N] [--size BYTES], a multiple of 8, [--save NAME]");
        return 2;
    }
    uint64_t source = host->platform->alloc(host->platform->self, bytes, 8);
    if (!source) return nx_print(host, "no memory for messages of %u bytes", bytes), 1;
    if (with_switch && !host->rank && (c = open_switch(host))) return c;
    if (nx_stat_take(host->device, &first)) return failed(host, "no look");
    after = first;
    int result = send_messages(host, bytes, messages, source, watch);
    host->platform->release(host->platform->self, source, bytes);
    if (!watch || all) report(host, 0, all);
    if (name && (save(host, name, ".before", &first, 0, NULL) || save(host, name, "", &after, 0, NULL))) return 1;
    for (unsigned i = 0; name && i < looked_at; i++)
        if (save(host, name, ".before", NULL, i, &sw[i].first) || save(host, name, "", NULL, i, &sw[i].after)) return 1;
    return result;
}
