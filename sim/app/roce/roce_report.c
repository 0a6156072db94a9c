#include "sim/app/roce/roce_report.h"

#include <jansson.h>

#include "sim/core/kernel/text_table.h"

static void count(const roce_report *r, const roce_system *y, roce_counters *c)
{
    if (roce_counters_read(y->device, c)) sim_fail(r->sim, "%s", rn_last_error(y->device));
}

void roce_report_count(roce_report *r)
{
    count(r, r->system, &r->counters);
    if (r->other) count(r, r->other, &r->of_other);
}

static double microseconds(sim_time t) { return (double)t / SIM_US; }

static double rate(const roce_traffic_kind *k) /* [MB/s] */
{
    return k->last > k->first ? (double)k->bytes / microseconds(k->last - k->first) : 0;
}

static uint64_t damaged(const ethernet_wire_stats *s) { return s->struck[ETHERNET_FLIP] + s->struck[ETHERNET_SPOIL]; }

static void print_line(const roce_report *r)
{
    puts("");
    FILE *t = text_table(stdout, 0, "<line from\tframes\tbytes\tlost\tdoubled\tdelayed\tdamaged");
    for (int end = 0; end < 2; end++) {
        ethernet_wire_stats s = ethernet_wire_get_stats(r->system->wire, end);
        fprintf(t, "%s\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu\n", end ? "peer" : "chip", s.frames, s.bytes,
                s.struck[ETHERNET_LOSE] + s.struck[ETHERNET_CUT], s.struck[ETHERNET_DUPLICATE],
                s.struck[ETHERNET_DELAY], damaged(&s));
    }
    fclose(t);
}

/* Packets out by their kind are for comparison with Linux. */
static unsigned shown(const roce_report *r) { return r->linux_ ? ROCE_COUNTERS : ROCE_COUNTED; }

static void print_counters(const roce_report *r)
{
    puts("");
    roce_counters_print(&r->counters, shown(r), stdout);
}

static void print(const roce_report *r)
{
    const roce_traffic_kind *k = roce_traffic_kinds(r->traffic);
    FILE *t = text_table(stdout, 0, "<\tmessages\tbytes\tfrom [us]\tto [us]\tMB/s");
    for (int i = 0; i < ROCE_KINDS; i++)
        if (k[i].messages)
            fprintf(t, "%s\t%lu\t%lu\t%.1f\t%.1f\t%.1f\n", roce_kind_names[i], k[i].messages, k[i].bytes,
                    microseconds(k[i].first), microseconds(k[i].last), rate(&k[i]));
    fclose(t);
    print_line(r);
    print_counters(r);
    const rnic_counters *c = r->other ? NULL : rnic_get_counters(r->system->peer);
    if (r->other) {
        printf("the other ");
        roce_counters_print(&r->of_other, shown(r), stdout);
    } else
        printf("peer: packets in %lu, duplicates %lu, NAKs out %lu, NAKs in %lu, packets sent again %lu\n",
               c->rcvd_pkts, c->duplicate_request, c->out_of_seq_request, c->rcvd_seq_err, c->resent_pkts);
    uint64_t clocks = sim_clock_cycles(r->system->board->clock), bytes = 0;
    for (int i = 0; i < ROCE_KINDS; i++) bytes += k[i].bytes;
    printf("%.1f us, %lu clocks of the chip in %.1f s: %.0f kHz, %.2f MB of payload per second; every byte compared\n",
           microseconds(sim_now(r->sim)), clocks, r->wall, (double)clocks / r->wall / 1e3,
           (double)bytes / r->wall / 1e6);
}

json_t *roce_report_line_json(const ethernet_wire_stats *s)
{
    return json_pack("{sI sI sI sI sI sI}", "frames", (json_int_t)s->frames, "bytes", (json_int_t)s->bytes, "lost",
                     (json_int_t)(s->struck[ETHERNET_LOSE] + s->struck[ETHERNET_CUT]), "doubled",
                     (json_int_t)s->struck[ETHERNET_DUPLICATE], "delayed", (json_int_t)s->struck[ETHERNET_DELAY],
                     "damaged", (json_int_t)damaged(s));
}

/* In how much the two differ. */
static unsigned print_linux(const roce_report *r)
{
    const roce_linux_result *l = roce_linux_get_result(r->linux_);
    const roce_rping_result *p = &r->pinged;
    printf("rping: %u ended well, %u did not; %lu connections, %lu pings, %lu bytes to the chip and back\n", p->good,
           p->bad, p->connections, p->pings, p->bytes);
    print_line(r);
    puts("");
    const roce_counters_both counted = roce_counters_of_chip(&r->counters);
    const roce_late_counts late = roce_late_count(r->late);
    unsigned different = roce_counters_compare(&counted, &late, r->linux_, stdout);
    print_counters(r);
    uint64_t clocks = sim_clock_cycles(r->system->board->clock);
    printf("%.1f us, %lu clocks of the chip; Linux was up after %.1f s and ran for %.1f s: %.0f kHz\n",
           microseconds(sim_now(r->sim)), clocks, l->boot, l->run, (double)clocks / l->run / 1e3);
    return different;
}

static json_t *linux_json(const roce_report *r)
{
    const roce_linux_result *l = roce_linux_get_result(r->linux_);
    json_t *seen = json_object();
    for (unsigned i = 0; i < l->counters; i++)
        json_object_set_new(seen, l->counter[i].name, json_integer((json_int_t)l->counter[i].value));
    return json_pack("{si si si sI sI sI so}", "size", r->o->longest, "good", r->pinged.good, "bad", r->pinged.bad,
                     "connections", (json_int_t)r->pinged.connections, "pings", (json_int_t)r->pinged.pings, "bytes",
                     (json_int_t)r->pinged.bytes, "hw_counters", seen);
}

/* Wall time is not in it: the same seed gives the same file. */
json_t *roce_report_json(const roce_report *r)
{
    ethernet_wire_stats chip = ethernet_wire_get_stats(r->system->wire, 0),
                        peer = ethernet_wire_get_stats(r->system->wire, 1);
    json_t *kinds = r->linux_ ? linux_json(r) : json_object(), *seen = json_object();
    const roce_traffic_kind *k = r->traffic ? roce_traffic_kinds(r->traffic) : NULL;
    for (int i = 0; k && i < ROCE_KINDS; i++)
        if (k[i].messages)
            json_object_set_new(kinds, roce_kind_names[i],
                                json_pack("{sI sI sf sf sf}", "messages", (json_int_t)k[i].messages, "bytes",
                                          (json_int_t)k[i].bytes, "from_us", microseconds(k[i].first), "to_us",
                                          microseconds(k[i].last), "mbyte_per_s", rate(&k[i])));
    roce_counters_json(&r->counters, shown(r), seen);
    json_t *all = json_pack(
        "{ss si si sI so s{so so} so sf sI}", "chip", "roce", "bytes_per_clock", r->system->board->bytes, "connections",
        r->o->qps, "seed", (json_int_t)r->o->seed, r->linux_ ? "rping" : "kinds", kinds, "line", "chip",
        roce_report_line_json(&chip), "peer", roce_report_line_json(&peer), "counters", seen, "simulated_us",
        microseconds(sim_now(r->sim)), "clocks", (json_int_t)sim_clock_cycles(r->system->board->clock));
    if (r->other) {
        json_t *of_other = json_object();
        roce_counters_json(&r->of_other, shown(r), of_other);
        json_object_set_new(all, "counters_of_other", of_other);
    }
    return all;
}

/* After a run of Linux: its result, 0 or an exit code. */
static int linux_result(const roce_report *r)
{
    const roce_rping_result *p = &r->pinged;
    unsigned different = print_linux(r);
    if (p->good != r->o->qps) {
        fflush(stdout);
        roce_linux_print(r->linux_, stderr);
        printf("BAD: %u of %u rpings did not end well\n", r->o->qps - p->good, r->o->qps);
    } else if (p->failures) printf("BAD: the server ended %lu connections\n", p->failures);
    else if (!roce_rping_well(&r->pings, p))
        printf("BAD: %lu pings with a path MTU of %u to %u, expected %u with %u\n", p->pings, p->pmtu_least,
               p->pmtu_most, r->o->qps * r->o->messages, r->o->pmtu);
    else if (different && roce_options_quiet(r->o))
        puts("BAD: the chip and Linux have counted different things on a good line");
    else return 0;
    return 1;
}

void roce_report_head(const roce_report *r, const sim_config *chip)
{
    const roce_options *o = r->o;
    if (r->linux_)
        printf("Linux with software RoCE at the other end, %u pings of %u bytes each; ", o->messages, o->longest);
    char pmtu[16] = "256 to 4096";
    if (o->pmtu) snprintf(pmtu, sizeof pmtu, "%u", o->pmtu);
    printf("%sRoCE v2 chip%s (%s), %u bytes per clock, %u connections, path MTU %s, %s, seed %lu\n\n",
           r->other ? "Two " : "", r->other ? "s" : "", chip->name, o->bytes, o->qps, pmtu,
           o->ip == 4   ? "IPv4"
           : o->ip == 6 ? "IPv6"
                        : "IPv4 and IPv6",
           o->seed);
}

int roce_report_print(const roce_report *r)
{
    if (r->linux_) return linux_result(r);
    print(r);
    return 0;
}

uint64_t roce_report_packets(const roce_report *r)
{
    return ethernet_wire_get_stats(r->system->wire, 0).frames + ethernet_wire_get_stats(r->system->wire, 1).frames;
}

uint64_t roce_report_sent_again(const roce_report *r) { return r->counters.value[ROCE_SENT_AGAIN]; }

uint64_t roce_report_peer_sent_again(const roce_report *r)
{
    return r->other ? r->of_other.value[ROCE_SENT_AGAIN] : rnic_get_counters(r->system->peer)->resent_pkts;
}
