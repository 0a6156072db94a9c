#include "sim/app/coherent/coherent_options.h"

#include <ctype.h>
#include <string.h>

#include "sim/observe/cycles/cycles_names.h"

enum { MAKE = 1 }; /* of an option: it is also a variable of make */

#define WHOLE(field) OPTION_WHOLE(coherent_options, field)
#define CHOICE(field) OPTION_CHOICE(coherent_options, field)
#define TEXT(field) OPTION_TEXT(coherent_options, field)
#define RECEIVES "uncached, memory, update or allocate"
#define SENDS "cachable, doorbell or uncached"

/* clang-format off */
const option coherent_options_table[] = {
    {.help = "The system:"},
    {"node", "coherent|mixed", MAKE, CHOICE(node), 0, 0, "coherent or mixed",
        "coherent: two nodes whose network interface sits beside the caches, and a cable; with NODES=n around a "
        "switch; mixed: odd nodes are PCI-X hosts"},
    {"nodes", "N", 0, WHOLE(nodes), 2, COHERENT_NODES, "2 to 8 nodes",
        "nodes around a switch (default: two and a cable)"},
    {"cache-kb", "N", MAKE, WHOLE(cache_kb), 4, 32, "4, 8, 16 or 32",
        "size of each of a node's two caches [KB] (default 16)"},
    {"ways", "N", MAKE, WHOLE(ways), 1, 2, "1 or 2", "ways of these caches (default 2)"},
    {"ratio", "N", MAKE, WHOLE(ratio), 1, 4, "1, 2, 3 or 4",
        "clocks of the processors to one of the bus at 100 MHz (default 3)"},
    {.help = "The network interface:"},
    {"ni", "MODE", MAKE, CHOICE(ni), 0, 0, RECEIVES,
        "what arrives: uncached, read word by word; memory: invalidates copies; update: goes into caches that have "
        "the line (default); allocate: into a cache"},
    {"send", "MODE", MAKE, CHOICE(send), 0, 0, SENDS,
        "what leaves: cachable: written into lines that the interface watches (default); doorbell: a store says so; "
        "uncached: stores to the interface"},
    {.help = "The program on the processors:"},
    {"scenario", "NAME", MAKE, TEXT(scenario), 0, 0, NULL,
        "pingpong (default), stream, queue, barrier, exchange, halo, producer, pollution or litmus"},
    {"message", "BYTES", MAKE, WHOLE(message), 8, 512, "a multiple of 8, 8 to 512 bytes",
        "payload of a message [bytes] (default 64)"},
    {"rounds", "N", MAKE, WHOLE(rounds), 1, 1000000, "a number of rounds, 1 to 1000000",
        "messages, iterations or passes of the program (default: its own)"},
    {.help = "The run:"},
    RUN_SEED(0, coherent_options, seed),
    RUN_JSON(coherent_options),
    RUN_WAVES(0, coherent_options),
    RUN_WAVE_SCOPES(0, coherent_options, "node0, coherent1, xbar"),
    RUN_WAVE_TIMES(MAKE, coherent_options, "coherent0.memory.snoop_valid == 1"),
    RUN_CYCLES(0, coherent_options, CYCLES_SORTS),
    RUN_INITIAL(MAKE, coherent_options),
    RUN_HELP(coherent_options),
    {0},
};
/* clang-format on */

/* Its place in a list as in `expected`. */
static unsigned place_of(const char *name, const char *list)
{
    unsigned n = 0;
    size_t length = strlen(name);
    for (const char *at = list; *at; n++) {
        if (!strncmp(at, name, length) && !isalpha((unsigned char)at[length])) break;
        at += strcspn(at, " ");
        at += strspn(at, " ");
        if (!strncmp(at, "or ", 3)) at += 3;
    }
    return n;
}

static int refuse_programs(const char *value, char error[OPTION_ERROR])
{
    char names[200] = "one of";
    for (const nc_program *const *p = nc_programs; *p; p++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", p == nc_programs ? " " : ", ",
                 (*p)->name);
    return option_complain(error, "scenario", value, names);
}

/* An option without meaning for this program. */
static int check_uses(const coherent_options *o, char error[OPTION_ERROR])
{
    const struct {
        unsigned use;
        int given;
        const char *name;
    } rows[] = {{NC_USES_NI, o->ni != NULL, "ni"},
                {NC_USES_SEND, o->send != NULL, "send"},
                {NC_USES_MESSAGE, o->message != 0, "message"},
                {NC_USES_ROUNDS, o->rounds != 0, "rounds"}};
    char text[80];
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!rows[i].given || o->program->uses & rows[i].use) continue;
        snprintf(text, sizeof text, "none with scenario %s", o->program->name);
        return option_complain(error, rows[i].name, "", text);
    }
    return 0;
}

/* "NODES=2 expected", of the program. */
static int refuse_run(const coherent_options *o, const char *wrong, char error[OPTION_ERROR])
{
    char name[16] = "", value[24] = "", text[160];
    for (size_t i = 0; i + 1 < sizeof name && wrong[i] && wrong[i] != '='; i++)
        name[i] = wrong[i] == '_' ? '-' : (char)(wrong[i] | 0x20);
    if (!strcmp(name, "nodes")) snprintf(value, sizeof value, "%u", o->nodes);
    if (!strcmp(name, "message")) snprintf(value, sizeof value, "%u", o->run.message);
    if (!strcmp(name, "cache-kb")) snprintf(value, sizeof value, "%u", o->cache_kb);
    if (!strcmp(name, "ni")) snprintf(value, sizeof value, "%s", o->ni ? o->ni : "update");
    if (!strcmp(name, "send")) snprintf(value, sizeof value, "%s", o->send ? o->send : "cachable");
    const char *end = strstr(wrong, " expected");
    if (!strchr(wrong, '=') || strchr(wrong, ' ') < strchr(wrong, '=')) {
        snprintf(text, sizeof text, "%.*s%s", end ? (int)(end - wrong) - (end > wrong && end[-1] == ',') : 0, wrong,
                 end ? end + 9 : wrong);
        return option_complain(error, "scenario", o->program->name, text);
    }
    snprintf(text, sizeof text, "%.*s with scenario %s", end ? (int)(end - wrong) : (int)strlen(wrong), wrong,
             o->program->name);
    return option_complain(error, name, value, text);
}

static int follow(coherent_options *o, char error[OPTION_ERROR])
{
    char value[24];
    o->program = nc_program_of(o->scenario);
    if (!o->program) return refuse_programs(o->scenario, error);
    snprintf(value, sizeof value, "%u", o->message);
    if (o->message % 8) return option_complain(error, "message", value, "a multiple of 8, 8 to 512 bytes");
    if (check_uses(o, error)) return -1;
    o->direct = !o->nodes;
    o->mixed = !strcmp(o->node, "mixed");
    if (o->mixed && !(o->program->uses & NC_ON_HOSTS))
        return option_complain(error, "scenario", o->program->name,
                               "pingpong, stream, queue, barrier or exchange with node mixed");
    if (o->mixed && o->ni && !strcmp(o->ni, "uncached"))
        return option_complain(error, "ni", o->ni, "memory, update or allocate with node mixed");
    if (!o->nodes) o->nodes = 2;
    if (!o->cache_kb) o->cache_kb = 16;
    if (!o->ways) o->ways = 2;
    if (!o->ratio) o->ratio = 3;
    o->run = (nc_options){.ni = o->ni ? (enum nc_receive)place_of(o->ni, RECEIVES) : NC_UPDATE,
                          .send = o->send ? (enum nc_send)place_of(o->send, SENDS) : NC_SEND_CACHABLE,
                          .message = o->message ? o->message : 64,
                          .nodes = o->nodes,
                          .direct = o->direct,
                          .rounds = o->rounds,
                          .cache_kb = o->cache_kb,
                          .ways = o->ways,
                          .seed = o->seed};
    const char *wrong = nc_refusal(o->program, &o->run);
    return wrong ? refuse_run(o, wrong, error) : 0;
}

int coherent_options_read(coherent_options *o, int argc, char **argv, char error[OPTION_ERROR])
{
    *o = (coherent_options){.node = "coherent", .scenario = "pingpong", .seed = 1, .threshold = 5};
    if (option_arguments(coherent_options_table, o, argc, argv, error)) return -1;
    if (o->help) return 0;
    if (!o->cycles && (o->sort || o->base)) return option_complain(error, o->sort ? "sort" : "base", "", "with cycles");
    return follow(o, error);
}

void coherent_options_words(const coherent_options *o, char *words, size_t size)
{
    snprintf(
        words, size,
        "%s, %u nodes%s, %s, receive %s, send %s, messages of %u bytes, caches of %u KB, %u way%s, ratio %u, seed %llu",
        o->node, o->nodes, o->direct ? " and a cable" : " around a switch", o->program->name, o->ni ? o->ni : "update",
        o->send ? o->send : "cachable", o->run.message, o->cache_kb, o->ways, o->ways > 1 ? "s" : "", o->ratio,
        (unsigned long long)o->seed);
}
