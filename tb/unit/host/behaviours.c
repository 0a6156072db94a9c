/* See behaviours.h. */
#include "behaviours.h"

#include <stddef.h>

static void plain(host_params *p)
{
    (void)p;
}
static void decode_b(host_params *p)
{
    p->decode = 3;
}
static void decode_c(host_params *p)
{
    p->decode = 4;
}
static void subtractive(host_params *p)
{
    p->decode = 6;
}
static void waits(host_params *p)
{
    p->write_waits = 4, p->read_waits = 3;
}
static void retries(host_params *p)
{
    p->write_retries = 3, p->read_retries = 2;
}
static void buffers(host_params *p)
{
    p->write_buffer = 512;
}
static void small_buffers(host_params *p)
{
    p->write_buffer = 128;
}
static void narrow(host_params *p)
{
    p->narrow = true;
}
static void narrow_back(host_params *p)
{
    p->narrow_completions = true;
}
static void immediate(host_params *p)
{
    p->immediate_reads = true;
}
static void immediate_narrow(host_params *p)
{
    p->immediate_reads = p->narrow = true, p->read_waits = 5;
}
static void pieces(host_params *p)
{
    p->cuts = 2, p->cut_adqs[0] = 1, p->cut_adqs[1] = 2;
}
static void narrow_pieces(host_params *p)
{
    pieces(p), p->narrow_completions = true;
}
static void turns(host_params *p)
{
    pieces(p), p->interleave = true;
}
static void no_parking(host_params *p)
{
    p->park = PCIX_PARK_NOBODY;
}
static void bridge_parking(host_params *p)
{
    p->park = PCIX_PARK_BRIDGE;
}
static void seen_idle(host_params *p)
{
    p->hidden_arbitration = false;
}
static void fast_start(host_params *p)
{
    p->fast_start = true, pieces(p);
}
static void one_split(host_params *p)
{
    p->splits = 1, p->split_latency = 80;
}
static void server(host_params *p)
{
    *p = host_params_server2004();
}
static void server_counting(host_params *p)
{
    server(p), p->count_modified = true;
}
static void counting_pieces(host_params *p)
{
    turns(p), p->count_modified = true;
}
static void narrow_counting(host_params *p)
{
    p->narrow_completions = p->count_modified = true;
}

const behaviour behaviours[] = {{"ideal", plain},
                                {"decode B", decode_b},
                                {"decode C", decode_c},
                                {"subtractive decode", subtractive},
                                {"wait states", waits},
                                {"retries", retries},
                                {"512-byte buffers", buffers},
                                {"128-byte buffers", small_buffers},
                                {"32-bit target", narrow},
                                {"32-bit completions", narrow_back},
                                {"immediate reads", immediate},
                                {"immediate 32-bit reads", immediate_narrow},
                                {"completions in pieces", pieces},
                                {"32-bit completions in pieces", narrow_pieces},
                                {"completions take turns", turns},
                                {"nobody parked", no_parking},
                                {"bridge parked", bridge_parking},
                                {"grants on an idle bus only", seen_idle},
                                {"start rule (b)", fast_start},
                                {"one split at a time", one_split},
                                {"server2004", server},
                                {"server2004 with BCM", server_counting},
                                {"completions take turns, with BCM", counting_pieces},
                                {"32-bit completions with BCM", narrow_counting},
                                {NULL, NULL}};

int behaviour_count(void)
{
    int n = 0;
    while (behaviours[n].name != NULL) n++;
    return n;
}

host_params behaviour_params(int i)
{
    host_params p = host_params_ideal();
    behaviours[i].change(&p);
    return p;
}
