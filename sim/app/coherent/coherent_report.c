#include "sim/app/coherent/coherent_report.h"

#include "sim/core/kernel/text_table.h"

enum { WORDS = 300 };

static ppc405_stats of_run(const coherent_processor *p)
{
    ppc405_stats s = ppc405_get_stats(p->cpu);
    s.loads -= p->before.loads;
    s.stores -= p->before.stores;
    s.syncs -= p->before.syncs;
    s.load_clocks -= p->before.load_clocks;
    s.stall_clocks -= p->before.stall_clocks;
    s.clocks -= p->before.clocks;
    return s;
}

static double share(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

static double clocks_of_load(const ppc405_stats *s) { return s->loads ? (double)s->load_clocks / (double)s->loads : 0; }

static double stalled(const coherent_run *r, const ppc405_stats *s)
{
    return share((double)s->stall_clocks, (double)s->clocks * r->o.ratio);
}

static void print_processors(const coherent_run *r, FILE *out)
{
    FILE *t = text_table(out, 0, "<processor\tloads\tstores\tsyncs\tload\n[clocks]\twaiting\n[%]");
    for (unsigned i = 0; i < r->f->nodes; i++)
        for (unsigned k = 0; k < r->o.program->processors; k++) {
            const coherent_processor *p = &r->processor[i][k];
            if (!p->node) continue;
            ppc405_stats s = of_run(p);
            fprintf(t, "%s.cpu%u\t%lu\t%lu\t%lu\t%.2f\t%.1f\n", p->node->name, k, s.loads, s.stores, s.syncs,
                    clocks_of_load(&s), stalled(r, &s));
        }
    fclose(t);
}

/* Of the run: all fields are counts but the last two, which are the largest. */
static observer_stats counts_of(const coherent_run *r, unsigned node)
{
    observer_stats now = observer_get_stats(r->f->cnode[node]->observer);
    const observer_stats *before = &r->before[node];
    now.clocks -= before->clocks;
    now.busy -= before->busy;
    for (unsigned a = 0; a < 3; a++)
        for (unsigned k = 0; k < OBSERVER_KINDS; k++) now.broadcasts[a][k] -= before->broadcasts[a][k];
    for (unsigned k = 0; k < COHERENT_CPUS; k++) {
        observer_cache_stats *c = &now.cache[k];
        const observer_cache_stats *b = &before->cache[k];
        c->loads -= b->loads, c->stores -= b->stores, c->atomics -= b->atomics, c->hits -= b->hits;
        c->cold -= b->cold, c->capacity -= b->capacity, c->coherence -= b->coherence, c->upgrades -= b->upgrades;
        c->snoops -= b->snoops, c->snoops_found -= b->snoops_found, c->allocated -= b->allocated;
        c->updates_merged -= b->updates_merged, c->updates_missed -= b->updates_missed;
    }
    return now;
}

static uint64_t accesses(const observer_cache_stats *c) { return c->loads + c->stores + c->atomics; }

static void print_caches(const coherent_run *r, FILE *out)
{
    FILE *t = text_table(out, 0,
                         "<cache\taccesses\thits [%]\t<misses\ncold\tcapacity\tcoherence\t<other requests\n"
                         "UPGRADE\tUPDATE\tWRITEBACK\t<snoops\nall\tfound\t<UPDATEs\ntaken\tmissed\tallocated");
    for (unsigned i = 0; i < r->f->nodes; i++)
        for (unsigned k = 0; k < COHERENT_CPUS && r->f->cnode[i]; k++) {
            observer_stats s = counts_of(r, i);
            const observer_cache_stats *c = &s.cache[k];
            fprintf(t, "%s.cache%u\t%lu\t%.1f\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu\n",
                    r->f->cnode[i]->name, k, accesses(c), share((double)c->hits, (double)accesses(c)), c->cold,
                    c->capacity, c->coherence, c->upgrades, s.broadcasts[k][OBSERVER_UPDATE],
                    s.broadcasts[k][OBSERVER_WRITEBACK], c->snoops, c->snoops_found, c->updates_merged,
                    c->updates_missed, c->allocated);
        }
    fclose(t);
}

static uint64_t of_kind(const observer_stats *s, unsigned kind)
{
    return s->broadcasts[0][kind] + s->broadcasts[1][kind] + s->broadcasts[2][kind];
}

static void print_interconnects(const coherent_run *r, FILE *out)
{
    FILE *t = text_table(out, 0,
                         "<interconnect\tin use [%]\tREAD\tREAD_\nEXCLUSIVE\tUPGRADE\tWRITEBACK\tUPDATE\t"
                         "INVALIDATE_\nWRITE\tREAD_ONCE");
    for (unsigned i = 0; i < r->f->nodes; i++) {
        if (!r->f->cnode[i]) continue;
        observer_stats s = counts_of(r, i);
        fprintf(t, "%s\t%.1f", r->f->cnode[i]->name, share((double)s.busy, (double)s.clocks));
        for (unsigned k = 0; k < OBSERVER_KINDS; k++) fprintf(t, "\t%lu", of_kind(&s, k));
        fputs("\n", t);
    }
    fclose(t);
}

static void print_memories(const coherent_run *r, FILE *out)
{
    FILE *t = text_table(out, 0, "<memory\treads\twrites\tin an\nopen row [%]\trefreshes");
    for (unsigned i = 0; i < r->f->nodes; i++) {
        if (!r->f->cnode[i]) continue;
        external_stats s = external_get_stats(r->f->cnode[i]->memory);
        fprintf(t, "%s\t%lu\t%lu\t%.1f\t%lu\n", r->f->cnode[i]->name, s.reads, s.writes,
                share((double)s.sdram.row_hits, (double)(s.reads + s.writes)), s.sdram.refreshes);
    }
    fclose(t);
}

void coherent_report_print(const coherent_run *r, FILE *out)
{
    char words[WORDS];
    coherent_options_words(&r->o, words, sizeof words);
    fprintf(out, "%s\n\n", words);
    FILE *t = text_table(out, 0, "<result\tvalue\t<unit");
    for (const nc_result *l = r->line; l < r->line + r->lines; l++)
        fprintf(t, "%s\t%.*f\t%s\n", l->name, l->value == (double)(long)l->value ? 0 : 2, l->value, l->unit);
    fclose(t);
    fputs("\n", out);
    print_processors(r, out);
    fputs("\n", out);
    print_caches(r, out);
    fputs("\n", out);
    print_interconnects(r, out);
    fputs("\n", out);
    print_memories(r, out);
    fprintf(out, "\n%.1f us simulated in %.1f s\n", (double)(r->to - r->from) / (double)SIM_US, r->wall);
}

static json_t *processors_json(const coherent_run *r)
{
    json_t *all = json_array();
    for (unsigned i = 0; i < r->f->nodes; i++)
        for (unsigned k = 0; k < r->o.program->processors; k++) {
            const coherent_processor *p = &r->processor[i][k];
            if (!p->node) continue;
            ppc405_stats s = of_run(p);
            json_array_append_new(all, json_pack("{si si sI sI sI sf sf}", "node", (int)i, "processor", (int)k, "loads",
                                                 (json_int_t)s.loads, "stores", (json_int_t)s.stores, "syncs",
                                                 (json_int_t)s.syncs, "load_clocks", clocks_of_load(&s),
                                                 "waiting_percent", stalled(r, &s)));
        }
    return all;
}

static json_t *caches_json(const coherent_run *r)
{
    json_t *all = json_array();
    for (unsigned i = 0; i < r->f->nodes; i++)
        for (unsigned k = 0; k < COHERENT_CPUS && r->f->cnode[i]; k++) {
            observer_stats s = counts_of(r, i);
            const observer_cache_stats *c = &s.cache[k];
            json_array_append_new(all, json_pack("{si si sI sI s{sI sI sI} sI sI sI sI sI sI sI sI}", "node", (int)i,
                                                 "cache", (int)k, "accesses", (json_int_t)accesses(c), "hits",
                                                 (json_int_t)c->hits, "misses", "cold", (json_int_t)c->cold, "capacity",
                                                 (json_int_t)c->capacity, "coherence", (json_int_t)c->coherence,
                                                 "upgrades", (json_int_t)c->upgrades, "updates",
                                                 (json_int_t)s.broadcasts[k][OBSERVER_UPDATE], "writebacks",
                                                 (json_int_t)s.broadcasts[k][OBSERVER_WRITEBACK], "snoops",
                                                 (json_int_t)c->snoops, "snoops_found", (json_int_t)c->snoops_found,
                                                 "updates_taken", (json_int_t)c->updates_merged, "updates_missed",
                                                 (json_int_t)c->updates_missed, "allocated", (json_int_t)c->allocated));
        }
    return all;
}

static json_t *interconnects_json(const coherent_run *r)
{
    json_t *all = json_array();
    for (unsigned i = 0; i < r->f->nodes; i++) {
        if (!r->f->cnode[i]) continue;
        observer_stats s = counts_of(r, i);
        json_t *kinds = json_object();
        for (unsigned k = 0; k < OBSERVER_KINDS; k++)
            json_object_set_new(kinds, observer_kind_name((observer_kind)k), json_integer((json_int_t)of_kind(&s, k)));
        json_array_append_new(all, json_pack("{si sI sI so}", "node", (int)i, "clocks", (json_int_t)s.clocks,
                                             "busy_clocks", (json_int_t)s.busy, "broadcasts", kinds));
    }
    return all;
}

static json_t *memories_json(const coherent_run *r)
{
    json_t *all = json_array();
    for (unsigned i = 0; i < r->f->nodes; i++) {
        if (!r->f->cnode[i]) continue;
        external_stats s = external_get_stats(r->f->cnode[i]->memory);
        json_array_append_new(all,
                              json_pack("{si sI sI sI sI sI sI}", "node", (int)i, "reads", (json_int_t)s.reads,
                                        "writes", (json_int_t)s.writes, "row_hits", (json_int_t)s.sdram.row_hits,
                                        "row_opens", (json_int_t)s.sdram.row_opens, "row_misses",
                                        (json_int_t)s.sdram.row_misses, "refreshes", (json_int_t)s.sdram.refreshes));
    }
    return all;
}

json_t *coherent_report_json(const coherent_run *r)
{
    char words[WORDS];
    json_t *lines = json_object();
    coherent_options_words(&r->o, words, sizeof words);
    for (const nc_result *l = r->line; l < r->line + r->lines; l++)
        json_object_set_new(lines, l->name, json_pack("{sf ss}", "value", l->value, "unit", l->unit));
    return json_pack("{ss ss sI so so so so so sf}", "system", words, "program", r->o.program->name, "seed",
                     (json_int_t)r->o.seed, "lines", lines, "processors", processors_json(r), "caches", caches_json(r),
                     "interconnects", interconnects_json(r), "memories", memories_json(r), "simulated_us",
                     (double)(r->to - r->from) / (double)SIM_US);
}
