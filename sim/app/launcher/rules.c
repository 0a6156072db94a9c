/* Exclusions between variables and goals, each rule once. A rule names the refused variable and the expectation; ${X}
 * in the text is the value of X, ${links} the number of links, ${goal} the goal. Rules of a single program are in its
 * own options. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/app/launcher/request.h"
#include "sim/app/nicxbar/options.h"
#include "sim/observe/cycles/cycles_names.h"

/* ---- the system ---- */

static int has_several_links(const request *r) { return is(r, "LINKS", "2") || is(r, "LINKS", "4"); }

unsigned links_of(const request *r) { return has_several_links(r) ? (unsigned)atoi(value_of(r, "LINKS")) : 1; }

int is_direct(const request *r)
{
    return is(r, "SWITCHES", "0") || is(r, "SWITCH", "0") || (r->goals & SOAK && !has(r, "NODES"));
}

int is_by_packet(const request *r) { return has_several_links(r) && !is(r, "BOND", "byte"); }

unsigned nodes_of(const request *r)
{
    if (has(r, "NODES")) return (unsigned)atoi(value_of(r, "NODES"));
    return is_direct(r) || has(r, "FILE") ? 2 : 4;
}

/* ---- conditions ---- */

#define CONDITION(name, expression)                                                                                    \
    static int name(const request *r, const char *v)                                                                   \
    {                                                                                                                  \
        (void)r, (void)v;                                                                                              \
        return expression;                                                                                             \
    }

CONDITION(one_link, !has_several_links(r))
CONDITION(bytes_through_a_switch, !strcmp(v, "byte") && !is_direct(r))
CONDITION(other_switches, has_several_links(r) && strcmp(v, "0") && (unsigned)atoi(v) != links_of(r))
CONDITION(several_switches_for_one_link, !has_several_links(r) && strcmp(v, "0") && strcmp(v, "1"))
CONDITION(soak_without_switch, !strcmp(v, "0") && r->goals & SOAK && has(r, "NODES"))
CONDITION(nodes_without_switch, is_direct(r) && r->goals & OF_SYSTEMS && strcmp(v, "2"))
CONDITION(many_nodes_with_links, has_several_links(r) && atoi(v) > 8)
CONDITION(several_links, has_several_links(r))
CONDITION(traced_with_links, has_several_links(r) && !strcmp(v, "traced"))
CONDITION(traced_with_nodes, !strcmp(v, "traced") && atoi(value_of(r, "NODES")) > 8)
CONDITION(other_nic_by_packet, is_by_packet(r) && strcmp(v, "default") && strcmp(v, "monitored"))
CONDITION(other_nic_by_byte, has_several_links(r) && !is_by_packet(r) && strcmp(v, "default") && strcmp(v, "4splits") &&
                                 strcmp(v, "monitored"))
CONDITION(four_links_measured, r->goals &MICROBENCH && !strcmp(v, "4"))
CONDITION(no_waves, is(r, "WAVES", "0"))
CONDITION(no_chip_roce, !is(r, "CHIP", "roce"))
CONDITION(no_peer_rxe, !is(r, "PEER", "rxe"))
CONDITION(roce_counted, is(r, "CHIP", "roce") && r->goals & (CYCLES | SOAK))
CONDITION(roce, is(r, "CHIP", "roce"))
CONDITION(coherent, has(r, "NODE"))
CONDITION(several_links_of_coherent, has(r, "NODE") && has_several_links(r))
CONDITION(coherent_soak, has(r, "NODE") && r->goals & SOAK)
CONDITION(mixed_soak, r->goals &SOAK && !strcmp(v, "mixed"))
CONDITION(many_coherent, has(r, "NODE") && atoi(v) > 8)
CONDITION(test_counted, r->goals &CYCLES &&has(r, "TEST"))
CONDITION(soak_of_two, r->goals &SOAK && !is(r, "CHIP", "roce") && !has(r, "NODES") && !has(r, "NODE"))
CONDITION(soak_of_two_with_a_link,
          r->goals &SOAK && !is(r, "CHIP", "roce") && !has(r, "NODES") && !has_several_links(r))
CONDITION(soak_of_systems, r->goals &SOAK && !is(r, "CHIP", "roce"))
CONDITION(all_with_ranks, !strcmp(v, "1") && has(r, "RANKS") && !is(r, "RANKS", "1"))
CONDITION(unlike_speed, r->goals &SPEED &&strcmp(v, "2") && strcmp(v, "4") && strcmp(v, "8") && strcmp(v, "16"))
CONDITION(no_base, !has(r, "BASE"))
CONDITION(no_from, !has(r, "FROM"))
CONDITION(module_without_from, r->goals &BLOCK && !has(r, "FROM"))
CONDITION(from_too, has(r, "FROM"))
CONDITION(of_mutants, has_goal(r, "mutants"))
CONDITION(of_life, has_goal(r, "life"))
CONDITION(of_fuzz, has_goal(r, "fuzz"))
CONDITION(of_coverage, has_goal(r, "coverage"))
CONDITION(of_tests_alone, r->goals &TEST && !has_goal(r, "coverage"))
CONDITION(no_measurement, !strcmp(v, "1") && !(r->goals & (FIGURES | SYNTH | PROVE | DISTRO)) && !has(r, "FIGURES"))
CONDITION(recorded_without_chip, r->goals &INTEROP &&is(r, "RECORD", "1"))
CONDITION(odd_record, r->goals &INTEROP &&strcmp(v, "0") && strcmp(v, "1"))
CONDITION(of_linux, r->goals &LINUX)
CONDITION(of_disk, r->goals &DISK)
CONDITION(shares_of_iq, r->goals &SHARES &&strcmp(v, "sm") && strcmp(v, "ppm") && strcmp(v, "dpm") && strcmp(v, "vps"))
CONDITION(load_beside_crossbar, r->goals &CROSSBAR &&atof(v) > 0.9)
CONDITION(leading_zero, *v == '0')

/* A number that is not from `low` to `high`. */
static int beyond(const char *text, uint64_t low, uint64_t high)
{
    uint64_t number;
    return !option_get_whole(text, low, high, &number);
}
CONDITION(clocks_of_shares, r->goals &SHARES &&beyond(v, 20000, 1000000000))
CONDITION(clocks_of_crossbar, r->goals &CROSSBAR &&beyond(v, 20000, 100000000))
CONDITION(clocks_of_contract, r->goals &(CONTRACT | COMPARE) && beyond(v, 0, UINT64_MAX))
CONDITION(packets_of_oracle, r->goals &ORACLE &&beyond(v, 1, 10000000))

static int unreadable(const request *r, const char *v)
{
    struct stat st;
    (void)r;
    return stat(v, &st) || !S_ISREG(st.st_mode) || access(v, R_OK);
}

/* The folder and one for waves in it are made. */
static int no_folder(const request *r, const char *v)
{
    char path[4096];
    (void)r;
    if (strlen(v) + 8 > sizeof path) return 1;
    sprintf(path, "%s/waves", v);
    for (char *slash = path + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        if (mkdir(path, 0777) && errno != EEXIST) return 1;
    }
    return (mkdir(path, 0777) && errno != EEXIST) || access(v, W_OK);
}

static int no_cycles(const request *r, const char *v)
{
    char text[65536];
    FILE *f = r->goals & CYCLES ? fopen(v, "r") : NULL;
    if (!f) return (r->goals & CYCLES) != 0;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    return !strstr(text, "\"" CYCLES_FORMAT "\"");
}

static const struct rule {
    const char *variable;
    int (*wrong)(const request *r, const char *value);
    const char *text;
} rules[] = {
    {"FILE", unreadable, "no such file, no regular file, or it cannot be read"},
    {"OUT", no_folder, "expected a folder, or a name that one can have: it cannot be made or written"},
    {"WAVE_FROM", no_waves, "expected without WAVES=0"},
    {"WAVE_TO", no_waves, "expected without WAVES=0"},
    {"WAVE_BEFORE", no_waves, "expected without WAVES=0"},
    {"WAVE_SIZE", no_waves, "expected without WAVES=0"},
    {"STORAGE", no_chip_roce, "means something with CHIP=roce only"},
    {"GUEST", no_peer_rxe, "means something with PEER=rxe only"},
    {"LANES", roce, "means nothing with CHIP=roce"},
    {"FILE", roce, "means nothing with CHIP=roce"},
    {"NODES", roce, "means nothing with CHIP=roce"},
    {"SWITCH", roce, "means nothing with CHIP=roce"},
    {"SWITCHES", roce, "means nothing with CHIP=roce"},
    {"LINKS", roce, "means nothing with CHIP=roce"},
    {"BOND", roce, "means nothing with CHIP=roce"},
    {"NODE", mixed_soak, "make soak expects coherent: tests of the coherent node in their long form"},
    {"NODES", coherent_soak, "means nothing for make soak NODE=coherent, which is tests"},
    {"SCENARIO", coherent_soak, "means nothing for make soak NODE=coherent, which is tests"},
    {"PACKETS", coherent_soak, "means nothing for make soak NODE=coherent, which is tests"},
    {"NODE", test_counted, "expected without TEST: a test makes its own system"},
    {"CHIP", coherent, "means nothing with NODE=${NODE}"},
    {"FILE", coherent, "means nothing with NODE=${NODE}"},
    {"LANES", coherent, "means nothing with NODE=${NODE}"},
    {"SWITCH", coherent, "means nothing with NODE=${NODE}: two nodes and a cable, or NODES=n around a switch"},
    {"SWITCHES", coherent, "means nothing with NODE=${NODE}: two nodes and a cable, or NODES=n around a switch"},
    {"LINKS", several_links_of_coherent, "expected 1: a coherent node has one link"},
    {"BOND", coherent, "means nothing with NODE=${NODE}"},
    {"NODES", many_coherent, "expected 2 to 8 with NODE=${NODE}, the ports of the switch"},
    {"STORAGE", roce_counted, "expected without make ${goal}"},
    {"FIGURES", roce_counted, "expected without make ${goal}"},
    {"PEER", roce_counted, "expected without make ${goal}"},
    {"FILE", test_counted, "expected without TEST: a test makes its own system"},
    {"NODES", test_counted, "expected without TEST: a test makes its own system"},
    {"SWITCH", test_counted, "expected without TEST: a test makes its own system"},
    {"SWITCHES", test_counted, "expected without TEST: a test makes its own system"},
    {"LINKS", test_counted, "expected without TEST: a test makes its own system"},
    {"BOND", test_counted, "expected without TEST: a test makes its own system"},
    {"SWITCH", soak_of_two_with_a_link, "means nothing for make soak: two NICs and a cable, or NODES=n"},
    {"MEASURE", soak_of_systems, "expected PACKETS: a soak's length is a number of packets"},
    {"LINKS", four_links_measured, "expected 1, or 2: the pair of links by byte of S1 and S4"},
    {"BOND", one_link, "expected together with LINKS=2 or 4"},
    {"BOND", bytes_through_a_switch, "expected with SWITCHES=0: links by byte do not pass a switch (S2 2.4)"},
    {"SWITCHES", other_switches, "expected ${links}, one for each link of a node, or 0 (two nodes and a cable)"},
    {"SWITCHES", several_switches_for_one_link, "expected 1, or 0 (two nodes and a cable)"},
    {"SWITCHES", soak_without_switch, "expected another number with NODES: a soak of nodes has switches"},
    {"NODES", nodes_without_switch, "expected 2 without a switch: two nodes and a cable"},
    {"NODES", many_nodes_with_links, "expected 2 to 8 with LINKS=${LINKS}, as many as the ports of these switches"},
    {"RANKS", several_links, "expected none with LINKS=${LINKS}"},
    {"RANKS", soak_of_two, "expected together with NODES=n, a soak around a switch"},
    {"WAVES", all_with_ranks, "expected with RANKS names of what one rank has, such as WAVES=node1"},
    {"SWITCH", traced_with_links, "expected 1, without tracing memories, with LINKS=${LINKS}"},
    {"SWITCH", traced_with_nodes, "expected with NODES up to 8; NODES=${NODES} has a switch without tracing memories"},
    {"SWITCH", of_disk, "means nothing for make disk: 2 to 4 hosts around a switch"},
    {"SWITCH", of_linux, "means nothing for make linux: 2 to 8 hosts around a switch"},
    {"NIC", other_nic_by_packet, "expected default or monitored with links by packet (both have 4splits)"},
    {"NIC", other_nic_by_byte, "expected default, 4splits or monitored with BOND=byte"},
    {"NODES", unlike_speed, "make speed expects one of 2, 4, 8, 16"},
    {"THRESHOLD", no_base, "expected together with BASE=file, an older result of make cycles"},
    {"BASE", no_cycles, "expected a cycles.json that make cycles of this version has written (\"" CYCLES_FORMAT "\")"},
    {"FOLDER", from_too, "expected without FROM, which is copied to where its test is"},
    {"MODULE", module_without_from, "expected together with FROM=file.v"},
    {"PARAMETERS", no_from, "expected together with FROM=file.v"},
    {"DOC", no_measurement,
     "means something for make figures, synth, prove, distro and sim CHIP=roce FIGURES=all only"},
    {"TARGET", of_mutants, "means something for make fuzz only"},
    {"TARGET", of_life, "means something for make fuzz only"},
    {"SECONDS", of_life, "means something for make fuzz and mutants only"},
    {"QUICK", of_life, "means nothing for make life"},
    {"COUNT", of_fuzz, "means something for make mutants and life only"},
    {"QUICK", of_fuzz, "means nothing for make fuzz"},
    {"BASE", of_tests_alone, "means something for make cycles, coverage and speed only"},
    {"CASE", of_coverage, "means nothing for make coverage"},
    {"REPORT", of_coverage, "means nothing for make coverage"},
    {"TIMES", of_coverage, "means nothing for make coverage"},
    {"SANITIZE", of_coverage, "means nothing for make coverage"},
    {"WAVES", of_coverage, "means nothing for make coverage"},
    {"RECORD", odd_record, "expected 1: record the packets of tb/unit/roce again"},
    {"BYTES", recorded_without_chip, "means nothing with RECORD=1, which is without the chip"},
    {"ARCH", shares_of_iq, "make shares expects sm, ppm, dpm or vps"},
    {"PORTS", leading_zero, "expected a number of ports, 2 to 16"},
    {"LOAD", load_beside_crossbar, "expected 0.9 at most: above it the backlog would grow"},
    {"CLOCKS", clocks_of_crossbar, "expected a number of clocks, 20000 to 100000000"},
    {"CLOCKS", clocks_of_shares, "expected a number of clocks, 20000 to 1000000000"},
    {"CLOCKS", clocks_of_contract, "expected a number: the least clocks per size"},
    {"PACKETS", packets_of_oracle, "expected packets of a run, 1 to 10000000"},
};

/* The text with its ${...} replaced. */
static int refuse(request *r, const struct rule *rule)
{
    char text[400];
    size_t n = 0;
    for (const char *at = rule->text; *at && n < sizeof text - 1;) {
        if (strncmp(at, "${", 2)) {
            text[n++] = *at++;
            continue;
        }
        char name[32];
        size_t length = strcspn(at, "}");
        snprintf(name, sizeof name, "%.*s", (int)length - 2, at + 2);
        if (!strcmp(name, "links")) n += (size_t)snprintf(text + n, sizeof text - n, "%u", links_of(r));
        else
            n += (size_t)snprintf(text + n, sizeof text - n, "%s",
                                  strcmp(name, "goal") ? value_of(r, name) : r->goal[0]);
        at += length + 1;
    }
    text[n < sizeof text ? n : sizeof text - 1] = '\0';
    return complain(r, rule->variable, value_of(r, rule->variable), "%s", text);
}

/* ---- lists that the tree has ---- */

enum { MOST_NAMES = 200 };

static int one_of(request *r, const char *variable, const char *v, char names[MOST_NAMES][64], unsigned count,
                  const char * or)
{
    char text[1600] = "", like[200];
    const char *list[MOST_NAMES + 1] = {NULL};
    for (unsigned i = 0; i < count; i++) {
        if (!strcmp(names[i], v)) return 0;
        list[i] = names[i];
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "", names[i]);
    }
    double far = *v ? nearest(v, list, like, sizeof like) : 9;
    return complain(r, variable, v, "expected one of %s%s%s%s", text, or, far <= 2 ? "; the nearest: " : "",
                    far <= 2 ? like : "");
}

static int compare_names(const void *a, const void *b) { return strcmp(a, b); }

static int check_program(request *r)
{
    char names[MOST_NAMES][64];
    unsigned count = 0;
    const char *v = value_of(r, "PROGRAM");
    size_t length = strlen(v);
    if (length > 2 && !strcmp(v + length - 2, ".c") && !strchr(v, ' ') && !access(v, R_OK)) return 0;
    DIR *folder = opendir("sw/programs");
    for (struct dirent *e; folder && (e = readdir(folder)) && count < MOST_NAMES;) {
        size_t n = strlen(e->d_name);
        if (n > 2 && n < 64 && !strcmp(e->d_name + n - 2, ".c"))
            snprintf(names[count++], 64, "%.*s", (int)n - 2, e->d_name);
    }
    if (folder) closedir(folder);
    qsort(names, count, 64, compare_names);
    return one_of(r, "PROGRAM", value_of(r, "PROGRAM"), names, count, ", or the path of a C file that can be read");
}

/* Proofs are the second words of lines that begin with a small letter; the message has them up to their first "-". */
static int check_proof(request *r)
{
    char names[MOST_NAMES][64], text[4096], asked[1024], name[64];
    unsigned count = 0, missing = ~0u, word = 0;
    char *words[32], *rest = asked;
    FILE *f = fopen("tb/proofs/proofs", "r");
    snprintf(asked, sizeof asked, "%s", value_of(r, "PROOF"));
    for (char *w; word < 32 && (w = strtok_r(rest, " ", &rest));) words[word++] = w;
    while (f && fgets(text, sizeof text, f)) {
        if (!islower((unsigned char)*text) || sscanf(text, "%*s %63s", name) != 1) continue;
        for (unsigned i = 0; i < word; i++) {
            snprintf(text, sizeof text, "%s*", words[i]);
            if (!fnmatch(text, name, 0)) missing &= ~(1u << i);
        }
        name[strcspn(name, "-")] = '\0';
        if (count < MOST_NAMES && (!count || strcmp(names[count - 1], name))) strcpy(names[count++], name);
    }
    if (f) fclose(f);
    for (unsigned i = 0; i < word; i++)
        if (missing >> i & 1) return one_of(r, "PROOF", words[i], names, count, ", or how some names begin");
    return 0;
}

static int check_slot(request *r)
{
    char names[MOST_NAMES][64];
    const char *variable, *module;
    unsigned count = 0;
    while (slot_row(count, &variable, &module)) snprintf(names[count++], 64, "%s", module);
    return one_of(r, "SLOT", value_of(r, "SLOT"), names, count, "");
}

/* A switch for long packets has the slots of its architecture. */
static int check_slots_of_switch(request *r)
{
    const char *arch = has(r, "ARCH") ? value_of(r, "ARCH") : r->goals & SHARES ? "sm" : "dpm", *variable, *module;
    const char *slots = !strcmp(arch, "iq")    ? "PM_MATCHER"
                        : !strcmp(arch, "dpm") ? "PM_INPUT_SCHEDULER PM_OUTPUT_SCHEDULER PM_LOCKS"
                                               : "PM_INPUT_SCHEDULER PM_OUTPUT_SCHEDULER";
    for (unsigned i = 0; slot_row(i, &variable, &module); i++)
        if (has(r, variable) && !strstr(slots, variable))
            return complain(r, variable, value_of(r, variable), "ARCH=%s has no such slot; expected one of %s", arch,
                            slots);
    return 0;
}

/* A soak of two NICs takes PACKETS, what the program takes with --soak, and NIC with several links only. */
static int check_soak(request *r)
{
    unsigned goal_bits;
    for (unsigned i = 0; i < r->count; i++) {
        const char *name = r->given[i].name;
        const option *o = program_row(r, name, &goal_bits);
        int soaks = o && o->runs & RUN_SOAK && (strcmp(name, "NIC") || has_several_links(r));
        if (!has(r, name) || !strcmp(name, "PACKETS") || soaks) continue;
        if (o && (o->runs & RUN_SUITE || !o->runs))
            return complain(r, name, value_of(r, name), "expected together with NODES=n, a soak around a switch");
    }
    return 0;
}

static int say(request *r, const char *text)
{
    snprintf(r->error, REQUEST_ERROR, "%s", text);
    return -1;
}

/* Goals that need a variable, or no other goal. */
static int check_goals(request *r)
{
    int alone = r->goal_count == 1;
    if (r->goals & DISTRO && !alone) return say(r, "make distro: expected alone");
    if (r->goals & DISTRO && !has(r, "RELEASE"))
        return complain(r, "RELEASE", "", "expected a release of Debian, such as make distro RELEASE=trixie");
    if (r->goals & BLOCK && !alone) return say(r, "make block: expected alone; the next make finds its files");
    if (r->goals & BLOCK && !has(r, "NAME") && !has(r, "FROM"))
        return say(r, "make block: expected NAME=name, of a new module, or FROM=file.v, an existing one");
    if (soak_of_two(r, "") && check_soak(r)) return -1;
    if (r->goals & RUN && check_program(r)) return -1;
    if (r->goals & PROVE && has(r, "PROOF") && check_proof(r)) return -1;
    if (r->goals & (CONTRACT | COMPARE) && check_slot(r)) return -1;
    return r->goals & (PACKET_MODE | CURVES | SHARES) ? check_slots_of_switch(r) : 0;
}

int request_rules(request *r)
{
    for (const struct rule *rule = rules; rule < rules + sizeof rules / sizeof rules[0]; rule++)
        if (has(r, rule->variable) && rule->wrong(r, value_of(r, rule->variable))) return refuse(r, rule);
    return check_goals(r);
}
