/* The system of the options. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/app/nicxbar/run.h"
#include "sim/core/kernel/results.h"
#include "sim/observe/cycles/cycles_report.h"

/* With faults: time without progress after which a run is deadlocked; longer than any wait for lost packets. */
enum { STANDSTILL_US = 10000 };

/* A recorder of several nodes needs them synchronised. */
static unsigned windows_of(const program_options *o)
{
    return o->run & (RUN_SUITE | RUN_FILE | RUN_SCENARIO) && !o->sniff && !o->capture && !o->trace && !o->faults &&
                   !o->scenario.sync
               ? o->window
               : 0;
}

static void sim_options(const program_options *o, sim_params *p)
{
    p->seed = o->seed;
    p->initial_zero = !strcmp(o->initial, "0");
    p->quiet = o->transport && o->transport->rank;
    p->waves = o->transport && o->transport->rank != o->recorder ? NULL : o->waves;
    p->waves_scopes = o->wave_scopes;
    p->waves_from = o->wave_from_time;
    p->waves_to = o->wave_to_time;
    p->waves_from_event = o->wave_from_event;
    p->waves_to_event = o->wave_to_event;
    p->waves_before = o->wave_before;
    p->waves_size = o->wave_size;
    p->pins = o->pins;
    if (o->pins_to_us) p->pins_to = o->pins_to_us * SIM_US;
    p->lanes = o->lanes < 2 || !windows_of(o) ? SIM_LANES_OFF : o->check_lanes ? SIM_LANES_CHECK : SIM_LANES_ON;
}

static void node_options(const program_options *o, unsigned node, node_params *p)
{
    p->node_id = o->node_id[node];
    host_params_named(o->bridge, &p->host);
    p->host.monitor = !o->no_monitor;
    p->nic = o->nic;
    p->pci_mhz = (unsigned)atoi(o->pci_mhz);
    if (!strcmp(o->memory, "sdram")) p->external = external_params_sdram();
    if (!strcmp(o->memory, "ddr")) p->external = external_params_ddr();
}

void program_fabric(const program_options *o, fabric_params *p)
{
    fabric_params_default(p, o->nodes, o->direct ? NULL : o->chips->chip);
    sim_options(o, &p->sim);
    for (unsigned i = 0; i < o->nodes; i++) node_options(o, i, &p->node[i]);
    for (unsigned l = 0; l < CABLE_LINKS; l++) p->cable.skew[0][l] = p->cable.skew[1][l] = o->link_skew[l];
    p->driver.payload_words = o->payload;
    p->paths = o->paths;
    memcpy(p->path_latency, o->path_latency, sizeof p->path_latency);
    fault_plan_clocks(&o->plan, p->node, o->nodes);
    p->transport = o->transport;
    if (!o->faults) return;
    p->sim.watchdog = STANDSTILL_US * SIM_US;
    p->watch_paths = 1;
}

void program_windows(const program_options *o, fabric *f)
{
    fabric_lookahead(f, windows_of(o), o->transport && !o->threads ? 1 : o->threads);
}

sim_cycles *program_cycles(const program_options *o, fabric *f)
{
    if (!o->cycles) return NULL;
    sim_cycles *cycles = sim_cycles_new(f->s);
    for (unsigned i = 0; i < f->nodes; i++) sim_cycles_add(cycles, f->node[i]->nic.model);
    if (f->chip.model) sim_cycles_add(cycles, f->chip.model);
    char from[96], to[96];
    for (unsigned i = 0; i < (f->chip.model ? f->nodes : 1) && f->links == 1; i++) {
        snprintf(from, sizeof from, "%s.nic.one_link.link.port", f->node[i]->nic_name);
        if (f->chip.model)
            snprintf(to, sizeof to, "%s.crossbar.port_of[%u].unit.port", sim_model_name(f->chip.model), i);
        else snprintf(to, sizeof to, "%s.nic.one_link.link.port", f->node[1]->nic_name);
        sim_cycles_link(cycles, from, to);
    }
    for (unsigned l = 1; l < f->links && f->chip.model; l++) sim_cycles_add(cycles, f->path[l - 1].chip.model);
    return cycles;
}

void program_cycles_result(const program_options *o, sim_cycles *cycles, struct json_t *results)
{
    if (!cycles) return;
    json_t *document = cycles_document(o->system);
    json_array_append_new(json_object_get(document, "simulations"), sim_cycles_json(cycles, ""));
    json_object_set_new(results, "cycles", document);
}

/* Prints the counts, as the options say. 1: a limit is exceeded. */
static int show_cycles(const program_options *o, const json_t *document, FILE *out)
{
    cycles_table(document, o->sort, out);
    return o->base && cycles_compare(document, o->base_cycles, o->threshold, out) > 0;
}

/* Of several links by packet the line begins with the link. */
static void print_frame_of(void *self, const sniffer_frame *frame)
{
    printf("link %u ", *(const unsigned *)self);
    sniffer_print_frame(stdout, frame);
}

void program_sniffer(const program_options *o, fabric *f, sniffers *made)
{
    static unsigned link[FABRIC_LINKS] = {0, 1, 2, 3};
    *made = (sniffers){0};
    for (unsigned l = 0; l < f->links && o->sniff; l++) {
        int end;
        made->of_link[l] =
            f->links > 1 ? sniffer_new(print_frame_of, &link[l]) : sniffer_new(sniffer_print_frame, stdout);
        sniffer_attach(made->of_link[l], fabric_link(f, o->sniff_node, l, &end), f->chip.model ? 0 : l);
    }
}

void program_sniffer_free(sniffers *made)
{
    for (unsigned l = 0; l < FABRIC_LINKS; l++) sniffer_free(made->of_link[l]);
}

static int record_frames(const program_options *o, fabric *f, capture **made)
{
    if (!o->capture) return 0;
    *made = capture_new(o->capture);
    int failed = !*made;
    unsigned nodes = f->chip.model ? f->nodes : 1;
    for (unsigned i = 0; i < nodes * f->links && !failed; i++) {
        int end;
        unsigned node = i % nodes, link = i / nodes;
        char other[32] = "switch";
        if (!f->chip.model) snprintf(other, sizeof other, "%s", f->node[1]->name);
        if (f->links > 1)
            snprintf(other + strlen(other), sizeof other - strlen(other), f->chip.model ? "%u" : ".link%u", link);
        failed = capture_attach(*made, fabric_link(f, node, link, &end), f->chip.model ? 0 : link, f->node[node]->name,
                                other);
    }
    if (failed) fprintf(stderr, "nicxbar-sim: --capture %s: %s\n", o->capture, strerror(errno));
    return failed;
}

static int record_lives(const program_options *o, fabric *f, trace **made)
{
    if (!o->trace) return 0;
    trace_params p = {.path = o->trace_path,
                      .from = o->trace_from,
                      .to = o->trace_to,
                      .most = o->trace_size,
                      .modules = *o->trace == '1'};
    *made = trace_new(f, &p);
    if (!*made)
        fprintf(stderr, "nicxbar-sim: %s: %s\n", o->trace_path, *sim_error(f->s) ? sim_error(f->s) : strerror(errno));
    return !*made;
}

int program_record(const program_options *o, fabric *f, recordings *made)
{
    *made = (recordings){.s = f->s};
    if (!o->transport && sim_waves_check(f->s)) {
        fprintf(stderr, "nicxbar-sim: %s\n", sim_error(f->s));
        return 1;
    }
    return record_frames(o, f, &made->frames) || record_lives(o, f, &made->lives);
}

int program_sim(sim *s) { return sim_recorded(s, sim_run(s, SIM_FOREVER)); }

/* Not 0: frames are missing. */
static int captured(const program_options *o, capture *made, FILE *out)
{
    uint64_t frames;
    if (!made) return 0;
    int failed = capture_close(made, &frames);
    if (failed)
        fprintf(stderr, "nicxbar-sim: --capture %s: %s; the frames up to there can be read\n", o->capture,
                strerror(errno));
    fprintf(out, "%" PRIu64 " frames in %s: tshark -X lua_script:scripts/wireshark/nicxbar.lua -r %s\n", frames,
            o->capture, o->capture);
    return failed;
}

/* Not 0: a part is missing. */
static int traced(const program_options *o, trace *made, FILE *out)
{
    trace_result r;
    if (!made) return 0;
    int failed = trace_close(made, &r);
    double us = 1e-6 * (double)(r.to - r.from), mb = 1e-6 * (double)r.bytes;
    if (failed)
        fprintf(stderr, "nicxbar-sim: %s: %s; the part written up to then can be opened\n", o->trace_path,
                strerror(errno));
    if (r.none) {
        fprintf(stderr,
                "nicxbar-sim: --trace-from: to begin at %.3f us, the run ended at %.3f us: nothing is recorded in %s\n",
                1e-6 * (double)o->trace_from, 1e-6 * (double)r.to, o->trace_path);
        return 1;
    }
    if (r.full)
        fprintf(out,
                "the trace ends at %.3f us, where it is as large as it may be: --trace-size (TRACE_SIZE) allows more\n",
                1e-6 * (double)r.to);
    fprintf(out,
            "%" PRIu64 " lives of packets, %" PRIu64
            " events, %.1f MB (%.0f MB for a simulated ms) in %s: open it in ui.perfetto.dev\n",
            r.packets, r.events, mb, us > 0 ? 1000 * mb / us : 0, o->trace_path);
    return failed;
}

int program_verdict(const program_options *o, int result, int good, struct json_t *results, recordings *made, FILE *out)
{
    json_t *cycles = json_incref(json_object_get(results, "cycles"));
    int moved = cycles && show_cycles(o, cycles, out);
    int lost = captured(o, made->frames, out) | traced(o, made->lives, out),
        unwritten = results_write(results, o->json);
    if (sim_waves_missing(made->s)) lost = 1;
    if (cycles && cycles_files(cycles, o->json)) unwritten = 1;
    json_decref(cycles);
    good = good && result == SIM_OK && !lost && !unwritten && !moved;
    fprintf(out, "%s: %s%s",
            result == SIM_INTERRUPTED ? "INTERRUPTED"
            : good                    ? "GOOD"
                                      : "FAILED",
            unwritten ? "results not written" : "results in ", unwritten ? "" : o->json);
    if (cycles) fprintf(out, ", the same as .csv and .html");
    if (o->waves && !sim_waves_missing(made->s) && (o->recorder_host || !access(o->waves, F_OK)))
        fprintf(out, ", waves in %s%s%s", o->waves, o->recorder_host ? " on " : "",
                o->recorder_host ? o->recorder_host : "");
    fprintf(out, "\n");
    if (o->first_waves && !access(o->first_waves, R_OK))
        fprintf(out, "waves of the file's first packets in %s: make wave%s%s\n", o->first_waves,
                strcmp(o->out, "build") ? " OUT=" : "", strcmp(o->out, "build") ? o->out : "");
    return fflush(out) ? 1 : result == SIM_INTERRUPTED ? 130 : !good;
}
