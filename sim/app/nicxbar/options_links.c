/* nicxbar-sim: options of several links, against each other and the NIC. */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sim/app/nicxbar/options_private.h"

enum {
    MOST_SKEW = 10000000, /* [ps] */
    LEAST_LATENCY = 20,
    MOST_LATENCY = 100000 /* of a cable [network clocks] */
};

/* `count` numbers separated by commas, none if there is no text; 0, or -1: another count, or a number outside
 * low..high. */
static int numbers(const char *text, unsigned count, unsigned long low, unsigned long high, unsigned long *number)
{
    for (unsigned i = 0; text && i < count; i++) {
        char *end;
        number[i] = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : ULONG_MAX;
        if (number[i] < low || number[i] > high || *end != (i + 1 < count ? ',' : 0)) return -1;
        text = end + 1;
    }
    return 0;
}

void program_check_links(program_options *o)
{
    unsigned links = (unsigned)sim_config_parameter(o->nic, "LINKS", 1),
             by_packet = sim_config_parameter(o->nic, "BOND", 0) != 0;
    unsigned long number[CABLE_LINKS] = {0};
    char each[32] = "";
    if (links > 1) snprintf(each, sizeof each, " for each of %u links", links);
    if (links > 1 && !by_packet && !o->direct)
        program_refuse("--nic %s: expected with --direct: links by byte do not pass a switch (S2 2.4)", o->nic_name);
    if (o->skew && by_packet && !o->direct)
        program_refuse("--skew %s: expected one cable; that of each path is --path-latency", o->skew);
    if (numbers(o->skew, links, 0, MOST_SKEW, number))
        program_refuse("--skew %s: expected a number of ps%s, 0 to %u%s", o->skew, each, MOST_SKEW,
                       links > 1 ? ", with commas between them" : "");
    for (unsigned i = 0; i < links; i++) o->link_skew[i] = number[i];
    if (o->path_latencies && (!by_packet || o->direct))
        program_refuse("--path-latency %s: expected together with several links by packet and switches",
                       o->path_latencies);
    memset(number, 0, sizeof number);
    if (numbers(o->path_latencies, links, LEAST_LATENCY, MOST_LATENCY, number))
        program_refuse("--path-latency %s: expected %u numbers of clocks, %u to %u each, with commas between them",
                       o->path_latencies, links, LEAST_LATENCY, MOST_LATENCY);
    for (unsigned i = 0; i < links; i++) o->path_latency[i] = (unsigned)number[i];
    if (o->paths_in_use && !by_packet)
        program_refuse("--paths %s: expected together with several links by packet", o->paths_in_use);
    for (const char *text = o->paths_in_use; text;) {
        char *end;
        unsigned long path = strtoul(text, &end, 10);
        if (!isdigit((unsigned char)*text) || (*end && *end != ',') || path >= links || o->paths >> path & 1)
            program_refuse("--paths %s: expected different links of 0..%u, one at least, with commas between them",
                           o->paths_in_use, links - 1);
        o->paths |= 1u << path;
        text = *end ? end + 1 : NULL;
    }
    for (unsigned i = 0; i < o->nodes && by_packet; i++)
        if (o->node_id[i] >= 8)
            program_refuse("--node-ids %s: expected 0 to 7 with links by packet: a NIC keeps headers of 8 sources",
                           o->node_ids);
}
