#include "sim/app/disk/disk_figures.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/app/disk/disk_load.h"
#include "sim/core/kernel/results.h"
#include "sim/core/kernel/text_table.h"
#include "sim/traffic/workload/option.h"

enum { DISK = 64 << 20, NAME = 64 };

typedef struct measuring {
    const sim_config *chip;
    uint64_t seed;
    const char *only, *json;
    char image[64];
    json_t *figures;
    FILE *table;
    int failed, shown, help;
} measuring;

/* Settings of a measured system. */
typedef struct kind {
    unsigned nodes;
    int poll, pointers;
    sim_time interrupt_cost, request_cost;
} kind;

enum { REPORT, AT_LEAST, AT_MOST };

static void figure(measuring *m, const char *name, const char *unit, double value, int rule, double limit)
{
    const int bad = rule == AT_LEAST ? !(value >= limit) : rule == AT_MOST ? !(value <= limit) : 0;
    char text[32] = "report", command[NAME + 32];
    if (rule) snprintf(text, sizeof text, "%s %g", rule == AT_LEAST ? ">=" : "<=", limit);
    fprintf(m->table, "%s\t%s\t%.2f\t%s%s\n", name, unit, value, text, bad ? "\tNOT MET" : "");
    fflush(m->table);
    snprintf(command, sizeof command, "make disk-bench FIGURE=%s", name);
    json_array_append_new(m->figures, json_pack("{s:s, s:f, s:s, s:n, s:s, s:s}", "name", name, "value", value, "unit",
                                                unit, "documents", "limit", text, "command", command));
    m->failed |= bad;
    m->shown++;
}

static int wanted(const measuring *m, const char *name) { return !m->only || !strcmp(m->only, name); }

/* Loads at once, on a system of their own. */
static int measure(const measuring *m, kind k, disk_load *loads, unsigned count)
{
    char error[DISK_SERVICE_ERROR];
    disk_service_params p = disk_service_params_default(k.nodes, m->chip);
    p.fabric.sim.seed = m->seed;
    p.image = m->image;
    p.block.poll = k.poll;
    p.block.pointers = k.pointers;
    p.interrupt_cost = k.interrupt_cost;
    p.request_cost = k.request_cost;
    disk_service *s = disk_service_new(&p, error);
    if (!s) {
        fprintf(stderr, "disk-bench: %s\n", error);
        return -1;
    }
    int result = disk_load_run(s, loads, count);
    for (unsigned i = 0; i < count && !result; i++)
        if (loads[i].failed) {
            fprintf(stderr, "disk-bench: host %u: %llu requests of %llu failed\n", loads[i].host,
                    (unsigned long long)loads[i].failed, (unsigned long long)loads[i].requests);
            result = -1;
        }
    disk_service_free(s);
    return result;
}

static disk_load load(unsigned host, unsigned operation, uint32_t size, unsigned depth)
{
    const uint64_t requests = size >= 65536 ? depth + 8 : 2 * depth + (size >= 16384 ? 8 : 40);
    return (disk_load){.host = host,
                       .operation = operation,
                       .size = size,
                       .depth = depth,
                       .first = (host - 1) * (uint64_t)(DISK / 4),
                       .bytes = DISK / 4,
                       .requests = requests};
}

static void rate(measuring *m, const char *name, unsigned operation, uint32_t size, unsigned depth, double least)
{
    disk_load l = load(1, operation, size, depth);
    if (!wanted(m, name)) return;
    if (measure(m, (kind){.nodes = 2}, &l, 1)) m->failed = 1;
    else figure(m, name, "MiB/s", l.mib_per_s, AT_LEAST, least);
}

static void latency(measuring *m)
{
    disk_load l = load(1, NX_DISK_READ, 4096, 1);
    if (!wanted(m, "block_read_4k_latency")) return;
    l.requests = 30;
    if (measure(m, (kind){.nodes = 2, .poll = 1}, &l, 1)) m->failed = 1;
    else figure(m, "block_read_4k_latency", "us", l.most_us, AT_MOST, 25);
}

/* The largest deviation from a third, while all three read. */
static void shares(measuring *m)
{
    disk_load l[3];
    double all = 0, unfair = 0;
    if (!wanted(m, "block_3_readers_unfairness") && !wanted(m, "block_3_readers")) return;
    for (unsigned i = 0; i < 3; i++) l[i] = load(1 + i, NX_DISK_READ, 65536, 8);
    if (measure(m, (kind){.nodes = 4}, l, 3)) {
        m->failed = 1;
        return;
    }
    for (unsigned i = 0; i < 3; i++) all += l[i].mib_per_s;
    for (unsigned i = 0; i < 3; i++) unfair = fmax(unfair, 100 * fabs(3 * l[i].mib_per_s / all - 1));
    figure(m, "block_3_readers", "MiB/s", all, REPORT, 0);
    figure(m, "block_3_readers_unfairness", "%", unfair, AT_MOST, 5);
}

/* One host reads while another one writes: the target's link in both directions. */
static void both_ways(measuring *m)
{
    disk_load l[2] = {load(1, NX_DISK_READ, 131072, 8), load(2, NX_DISK_WRITE, 131072, 8)};
    if (!wanted(m, "block_both_ways_read") && !wanted(m, "block_both_ways_write")) return;
    if (measure(m, (kind){.nodes = 3}, l, 2)) {
        m->failed = 1;
        return;
    }
    figure(m, "block_both_ways_read", "MiB/s", l[0].mib_per_s, REPORT, 0);
    figure(m, "block_both_ways_write", "MiB/s", l[1].mib_per_s, REPORT, 0);
}

/* S4 4.4: the pending flag against heads and tails over the wire. */
static void gains(measuring *m)
{
    static const uint32_t sizes[] = {512, 4096, 16384, 131072};
    static const unsigned depths[] = {1, 8, 32};
    for (unsigned o = NX_DISK_READ; o <= NX_DISK_WRITE; o++)
        for (unsigned i = 0; i < 4; i++)
            for (unsigned k = 0; k < 3; k++) {
                disk_load flag = load(1, o, sizes[i], depths[k]), pointers;
                char name[NAME];
                snprintf(name, sizeof name, "block_gain_%s_%u_depth_%u", o == NX_DISK_READ ? "read" : "write", sizes[i],
                         depths[k]);
                if (!wanted(m, name)) continue;
                if (sizes[i] > 65536 && depths[k] > 1)
                    flag.requests += 56; /* the pointers are 0.04 % of the link, a packet must not count */
                pointers = flag;
                if (measure(m, (kind){.nodes = 2}, &flag, 1) ||
                    measure(m, (kind){.nodes = 2, .pointers = 1}, &pointers, 1))
                    m->failed = 1;
                else {
                    figure(m, name, "%", 100 * (flag.mib_per_s / pointers.mib_per_s - 1), AT_LEAST, 0);
                    fprintf(m->table, "    flag %.1f MiB/s, pointers %.1f MiB/s\n", flag.mib_per_s, pointers.mib_per_s);
                }
            }
}

/* Interrupts for a request of 512 bytes, at both sides: what S4 4.1 is about. */
static void interrupts(measuring *m)
{
    static const unsigned depths[] = {1, 8, 32};
    double one[2] = {0, 0};
    for (unsigned cost = 0; cost < 2; cost++)
        for (unsigned k = 0; k < 3; k++) {
            disk_load l = load(1, NX_DISK_READ, 512, depths[k]);
            char name[2][NAME];
            for (int side = 0; side < 2; side++)
                snprintf(name[side], NAME, "block_interrupts_%s_%s_depth_%u", side ? "target" : "initiator",
                         cost ? "5us" : "0us", depths[k]);
            /* the limit at depth 32 comes from depth 1 */
            const int limit = !k && cost &&
                              (wanted(m, "block_interrupts_initiator_5us_depth_32") ||
                               wanted(m, "block_interrupts_target_5us_depth_32"));
            if (!limit && !wanted(m, name[0]) && !wanted(m, name[1])) continue;
            if (measure(m, (kind){2, 0, 0, cost * 5 * SIM_US, cost * SIM_US}, &l, 1)) {
                m->failed = 1;
                continue;
            }
            for (int side = 0; side < 2; side++) {
                double each = (double)(side ? l.interrupts_target : l.interrupts) / (double)l.requests;
                if (!k) one[side] = each;
                if (wanted(m, name[side]))
                    figure(m, name[side], "1/request", each, !k || (cost && k == 2) ? AT_MOST : REPORT,
                           k ? 0.5 * one[side] : 1.05);
            }
        }
}

static int make_image(measuring *m)
{
    const char *folder = getenv("TMPDIR");
    snprintf(m->image, sizeof m->image, "%.40s/disk-bench-XXXXXX", folder ? folder : "/tmp");
    int fd = mkstemp(m->image);
    if (fd < 0 || ftruncate(fd, DISK)) {
        fprintf(stderr, "disk-bench: %s: %s\n", m->image, strerror(errno));
        return -1;
    }
    return close(fd);
}

/* clang-format off */
static const option options[] = {
    RUN_SEED(0, measuring, seed),
    {"only", "NAME", 0, OPTION_TEXT(measuring, only), 0, 0, NULL, "this figure alone"},
    RUN_JSON(measuring),
    RUN_HELP(measuring),
    {0},
};
/* clang-format on */

int disk_figures(int argc, char **argv, const sim_config *chip)
{
    measuring m = {.chip = chip, .seed = 1, .json = "build/disk-bench.json"};
    char error[OPTION_ERROR];
    if (option_arguments(options, &m, argc, argv, error)) return fprintf(stderr, "disk-bench: %s\n", error), 2;
    if (m.help) return option_help_table(options, "disk-bench: disks over RDMA, measured on the RTL", stdout), 0;
    m.figures = json_array();
    if (make_image(&m)) return 1;
    m.table = text_table(stdout, 1, "<40 figure\t<9 unit\t>8 value\t<limit");
    rate(&m, "block_read_128k_depth_8", NX_DISK_READ, 131072, 8, 275);
    rate(&m, "block_write_128k_depth_8", NX_DISK_WRITE, 131072, 8, 275);
    rate(&m, "block_read_4k_depth_32", NX_DISK_READ, 4096, 32, 255);
    rate(&m, "block_write_4k_depth_32", NX_DISK_WRITE, 4096, 32, 255);
    latency(&m);
    shares(&m);
    both_ways(&m);
    interrupts(&m);
    gains(&m);
    fclose(m.table);
    unlink(m.image);
    if (!m.shown && !m.failed) return fprintf(stderr, "disk-bench: --only %s: there is no such figure\n", m.only), 2;
    int unwritten = results_write(m.figures, m.json);
    printf("%s: results %s%s\n", m.failed ? "FAILED" : "GOOD", unwritten ? "not written" : "in ",
           unwritten ? "" : m.json);
    return m.failed || unwritten;
}
