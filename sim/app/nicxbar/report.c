#include "sim/app/nicxbar/report.h"

#include "sim/app/nicxbar/scenario_report.h"
#include "sim/traffic/faults/faults.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "sim/core/kernel/text_table.h"

static void hex(const uint8_t *hash, char *text)
{
    for (int i = 0; i < 32; i++) sprintf(text + 2 * i, "%02x", hash[i]);
}

static const char *verdict(const report *r, int i)
{
    const exchange_direction *d = &r->x->direction[i];
    if (d->sent || d->received) return d->error;
    if (r->result != SIM_OK) return "not finished";
    if (d->sender.bytes != d->size || d->receiver.bytes != d->size) return "length differs";
    return memcmp(d->sent_hash, d->received_hash, 32) ? "SHA-256 differs" : "SHA-256 equal";
}

static uint64_t clocks_per_second(const report *r)
{
    return r->wall > 0 ? (uint64_t)((double)sim_clock_cycles(r->x->p->node[0]->pci_clock) / r->wall) : 0;
}

static void table(const report *r, FILE *f)
{
    const exchange *x = r->x;
    sim *s = x->p->s;
    meter_direction m[2];
    char columns[48] = "<23 ";
    for (int i = 0; i < 2; i++) {
        meter_get(r->meter, i, &m[i]);
        if (x->direction[i].path) strcat(columns, i ? "\thost 1 to host 0" : "\thost 0 to host 1");
    }
    fputc('\n', f);
    FILE *t = text_table(f, 1, columns);
#define ROW(label, format, value)                                                                                      \
    do {                                                                                                               \
        fputs(label, t);                                                                                               \
        for (int i = 0; i < 2; i++)                                                                                    \
            if (x->direction[i].path) fprintf(t, "\t" format, value);                                                  \
        fputs("\n", t);                                                                                                \
    } while (0)
    ROW("file bytes", "%" PRIu64, x->direction[i].receiver.bytes);
    ROW("transfers", "%" PRIu32, x->direction[i].transfers);
    ROW("packets", "%" PRIu64, m[i].packets);
    ROW("payload bytes", "%" PRIu64, m[i].bytes);
    ROW("packets lost", "%" PRIu64, m[i].lost);
    ROW("simulated time [us]", "%.3f", 1e-6 * (double)(m[i].last - m[i].first));
    ROW("payload [MiB/s]", "%.1f", m[i].mib_per_second);
    ROW("packet latency min [ns]", "%.0f", m[i].packets ? m[i].latency_min : NAN);
    ROW("               median", "%.0f", m[i].packets ? m[i].latency_median : NAN);
    ROW("               p99", "%.0f", m[i].packets ? m[i].latency_p99 : NAN);
    ROW("link busy [%]", "%.1f", 100 * m[i].link_busy);
    ROW("sender PCI-X data [%]", "%.1f", 100 * m[i].sender_bus_data);
    ROW("receiver PCI-X data [%]", "%.1f", 100 * m[i].receiver_bus_data);
    ROW("verdict", "%s", verdict(r, i));
#undef ROW
    fclose(t);
    for (int i = 0; i < 2; i++)
        if (x->direction[i].path && r->result == SIM_OK) {
            char text[65];
            hex(x->direction[i].received_hash, text);
            fprintf(f, "SHA-256 at host %d          %s\n", !i, text);
        }
    paths_table(r->carried, f);
    fprintf(f,
            "%.3f ms simulated in %.2f s: %" PRIu64
            " PCI clocks per second; hosts %s, packets of up to %u bytes, seed %" PRIu64 "\n",
            1e-9 * (double)sim_now(s), r->wall, clocks_per_second(r), r->bridge, 8 * r->payload, sim_seed(s));
}

json_t *report_json(const report *r)
{
    const exchange *x = r->x;
    json_t *directions = json_array();
    for (int i = 0; i < 2; i++) {
        const exchange_direction *d = &x->direction[i];
        if (!d->path) continue;
        meter_direction m;
        meter_get(r->meter, i, &m);
        char sent[65], received[65];
        hex(d->sent_hash, sent);
        hex(d->received_hash, received);
        json_array_append_new(
            directions,
            json_pack(
                "{s:i, s:i, s:s, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:{s:f, s:f, s:f}, s:f, s:f, s:f, s:s, s:s, s:s}",
                "from", i, "to", !i, "file", d->path, "file_bytes", (json_int_t)d->receiver.bytes, "transfers",
                (json_int_t)d->transfers, "packets", (json_int_t)m.packets, "payload_bytes", (json_int_t)m.bytes,
                "packets_lost", (json_int_t)m.lost, "simulated_us", 1e-6 * (double)(m.last - m.first),
                "payload_mib_per_s", m.mib_per_second, "packet_latency_ns", "min", m.latency_min, "median",
                m.latency_median, "p99", m.latency_p99, "link_busy", m.link_busy, "sender_bus_data", m.sender_bus_data,
                "receiver_bus_data", m.receiver_bus_data, "sha256_sent", sent, "sha256_received", received, "verdict",
                verdict(r, i)));
    }
    json_t *all = json_pack("{s:b, s:s, s:s, s:I, s:s, s:i, s:f, s:f, s:I, s:o}", "good", r->good, "result",
                            sim_result_name(r->result), "error", sim_error(x->p->s), "seed",
                            (json_int_t)sim_seed(x->p->s), "bridge", r->bridge, "payload_words", (int)r->payload,
                            "simulated_ms", 1e-9 * (double)sim_now(x->p->s), "wall_s", r->wall, "pci_clocks_per_wall_s",
                            (json_int_t)clocks_per_second(r), "directions", directions);
    if (r->carried->links) json_object_set_new(all, "reordering", paths_json(r->carried));
    if (x->faults) {
        json_object_set_new(all, "faults", faults_json(x->faults));
        json_object_set_new(all, "begun_again", json_integer(x->again));
    }
    return all;
}

void report_print(const report *r, FILE *out)
{
    table(r, out);
    if (r->x->faults) {
        faults_print(r->x->faults, out);
        fprintf(out, "transfers begun again: %u\n", r->x->again);
        if (*r->faulty) fprintf(out, "%s\n", r->faulty);
    }
}
