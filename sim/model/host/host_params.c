/* The ready-made behaviours. See host_params.h. */
#include "sim/model/host/host_params.h"

#include <stddef.h>
#include <string.h>

host_params host_params_ideal(void)
{
    return (host_params){
        .mode = 2,
        .reset_clocks = 32,
        .monitor = true,
        .capability = 0x48,
        .hidden_arbitration = true,
        .park = PCIX_PARK_DEVICE,
        .hole_from = 0xc0000000u,
        .hole_to = 0xffffffffu,
        .decode = 2,
        .parity_response = true,
        .splits = 32,
        .split_latency = 16,
        .completion_gap = 2,
        .latency_timer = 1u << 30,
        .post_depth = 16,
        .retry_delay = 4,
        .combining = write_combining_quiet(),
    };
}

host_params host_params_server2004(void)
{
    host_params p = host_params_ideal();
    /* GNT# leaves at FRAME#, so that a device with latency timer 64 (the reset value) cuts its writes at 512 bytes, and
     * comes back once the bus is idle (13.4). Software that sets a longer timer gets longer pieces and fewer clocks. */
    p.hidden_arbitration = false;
    p.park = PCIX_PARK_BRIDGE;
    p.grant_delay = 1;
    /* 50 clocks until the first word, three completions per 4 KB, 10 empty clocks between them against a decode-C
     * requester (13.5) */
    p.split_latency = 55;
    p.completion_gap = 5;
    p.cuts = 3;
    p.cut_adqs[0] = 10;
    p.cut_adqs[1] = 11;
    p.cut_adqs[2] = 11;
    /* 13.2 and 13.3 */
    p.write_period = 10;
    p.combined_period = 24;
    /* 13.6: one burst, 9 or 11 clocks against decode C (13.1) */
    p.combining.bursts = true;
    return p;
}

host_params host_params_server2006(void)
{
    host_params p = host_params_server2004();
    /* 13.7: one completion; 8 clocks from REQ# to the Split Response, the least there may be */
    p.park = PCIX_PARK_NOBODY;
    p.grant_delay = 0;
    p.split_latency = 45;
    p.split_growth = 11;
    p.cuts = 0;
    return p;
}

bool host_params_named(const char *name, host_params *p)
{
    static const struct {
        const char *name;
        host_params (*make)(void);
    } ready[] = {
        {"ideal", host_params_ideal}, {"server2004", host_params_server2004}, {"server2006", host_params_server2006}};
    for (size_t i = 0; i < sizeof ready / sizeof *ready; i++)
        if (!strcmp(name, ready[i].name)) {
            *p = ready[i].make();
            return true;
        }
    return false;
}

const char *host_params_check(const host_params *p)
{
    if (p->mode < 0 || p->mode > 3) return "mode must be 0..3";
    if (p->reset_clocks < 16) return "reset_clocks must be at least 16";
    if (p->decode != 2 && p->decode != 3 && p->decode != 4 && p->decode != 6)
        return "decode must be 2 (A), 3 (B), 4 (C) or 6 (subtractive)";
    if (p->write_waits & 1)
        return "write_waits must be even: wait states before data of a write come in pairs (pcix.md 3.2)";
    if (p->decode + 1 + p->write_waits > 15 || p->decode + 1 + p->read_waits > 15)
        return "the first word must come within 16 clocks (pcix.md 3.2): decode + 1 + waits <= 15";
    if (p->write_buffer % 128 != 0) return "write_buffer must be a multiple of 128 bytes: bursts are cut at ADBs";
    if (p->splits < 1 || p->splits > 32) return "splits must be 1..32";
    if (p->completion_gap < 2) return "completion_gap must be at least 2";
    if (p->cuts > HOST_CUTS) return "too many cuts";
    for (unsigned i = 0; i < p->cuts; i++)
        if (p->cut_adqs[i] == 0) return "a piece of a completion must be at least one ADQ";
    if (p->post_depth < 1 || p->post_depth > 64) return "post_depth must be 1..64";
    if (p->retry_delay < 2) return "retry_delay must be at least 2";
    return write_combining_check(&p->combining);
}
