#include "sim/app/coherent/coherent_program.h"

#include <stdlib.h>
#include <string.h>

#include "sim/app/coherent/coherent_report.h"
#include "sim/core/kernel/event.h"
#include "sim/core/kernel/results.h"
#include "sim/observe/cycles/cycles_report.h"

static int refuse(const char *text)
{
    fprintf(stderr, "coherent-sim: %s\n", text);
    return 2;
}

/* A time or an event. */
static int when(const char *name, const char *text, sim_time *time, const char **event, char error[OPTION_ERROR])
{
    char why[EVENT_ERROR];
    if (!text || !event_time(text, time)) return 0;
    struct event *e = event_new(text, why);
    if (!e) return option_complain(error, name, text, "a time, 100us for instance, or an event (event.h)");
    event_free(e);
    *event = text;
    return 0;
}

/* The program has caches of one size. */
static int check_chip(const coherent_options *o, const coherent_chips *chips, char error[OPTION_ERROR])
{
    long kb = sim_config_parameter(chips->node, "CACHE_KB", 16), ways = sim_config_parameter(chips->node, "WAYS", 2);
    char value[16], text[120];
    if (kb == (long)o->cache_kb && ways == (long)o->ways) return 0;
    snprintf(value, sizeof value, "%u", kb == (long)o->cache_kb ? o->ways : o->cache_kb);
    snprintf(text, sizeof text, "coherent-sim-%u-%u for it: this program has caches of %ld KB, ways %ld", o->cache_kb,
             o->ways, kb, ways);
    return option_complain(error, kb == (long)o->cache_kb ? "ways" : "cache-kb", value, text);
}

static int simulation(const coherent_options *o, const coherent_chips *chips, sim_params *p, char error[OPTION_ERROR])
{
    const char *part = o->wave_from ? "wave-from" : o->wave_to ? "wave-to" : o->wave_scopes ? "wave-scopes" : NULL;
    sim_params_default(p);
    p->seed = o->seed;
    p->initial_zero = o->initial && !strcmp(o->initial, "0");
    if (o->cycles && !chips->node->waves)
        return option_complain(error, "cycles", "", "build/full/coherent-sim, which is built to be looked into");
    if (!o->waves) return part ? option_complain(error, part, "", "--waves FILE with it") : 0;
    if (!chips->node->waves)
        return option_complain(error, "waves", o->waves, "build/full/coherent-sim, which is built to be looked into");
    p->waves = o->waves;
    p->waves_scopes = o->wave_scopes;
    return when("wave-from", o->wave_from, &p->waves_from, &p->waves_from_event, error) ||
                   when("wave-to", o->wave_to, &p->waves_to, &p->waves_to_event, error)
               ? -1
               : 0;
}

/* The table of counts, also written into the results, and as CSV and page next to these. Not 0: a limit is exceeded, or
 * a file cannot be written. */
static int tell_cycles(const coherent_run *r, const char *words, json_t *base, json_t *results)
{
    json_t *document = cycles_document(words);
    json_array_append_new(json_object_get(document, "simulations"), sim_cycles_json(r->cycles, ""));
    cycles_table(document, r->o.sort ? r->o.sort : "name", stdout);
    int bad = base && cycles_compare(document, base, r->o.threshold, stdout) > 0;
    if (r->o.json && cycles_files(document, r->o.json)) bad = 1;
    json_object_set_new(results, "cycles", document);
    return bad;
}

/* Prints and saves what a good run has. */
static int tell(const coherent_run *r, const char *words, json_t *base)
{
    json_t *results = coherent_report_json(r);
    coherent_report_print(r, stdout);
    int code = r->cycles ? tell_cycles(r, words, base, results) : 0;
    if (!r->o.json) json_decref(results);
    else if (results_write(results, r->o.json)) code = 1;
    printf("%s%s%s\n", code ? "BAD" : "GOOD", !code && r->o.json ? ": results in " : "",
           !code && r->o.json ? r->o.json : "");
    return code;
}

int coherent_sim(int argc, char **argv, const coherent_chips *chips)
{
    coherent_options o;
    sim_params p;
    json_t *base = NULL;
    char error[OPTION_ERROR], words[300], why[CYCLES_ERROR];
    if (coherent_options_read(&o, argc, argv, error)) return refuse(error);
    if (o.help) {
        option_help_table(coherent_options_table, COHERENT_OPTIONS_HEAD, stdout);
        return 0;
    }
    if (check_chip(&o, chips, error) || simulation(&o, chips, &p, error)) return refuse(error);
    coherent_options_words(&o, words, sizeof words);
    if (o.base && !(base = cycles_base(o.base, words, why))) {
        fprintf(stderr, "coherent-sim: base %s: %s\n", o.base, why);
        return 2;
    }
    if (o.json) o.json = results_claim(o.json);
    if (o.waves) p.waves = o.waves = results_claim(o.waves);
    coherent_run *r = coherent_run_new(&o, chips, &p, error);
    if (!r) return refuse(error);
    int code = coherent_run_simulate(r);
    if (code == 130) puts("INTERRUPTED: results are not saved");
    if (!code) code = tell(r, words, base);
    coherent_run_free(r);
    json_decref(base);
    return code;
}
