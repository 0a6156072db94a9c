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

static uint64_t misses_of(const cache_counts *c) { return c->cold + c->capacity + c->coherence; }

/* Accesses that were no miss and needed no request. */
static uint64_t hits_of(const coherent_processor *p, const cache_counts *c)
{
    uint64_t others = misses_of(c) + c->upgrades + c->updates;
    return p->coherent > others ? p->coherent - others : 0;
}

static void print_caches(const coherent_run *r, FILE *out)
{
    FILE *t = text_table(out, 0,
                         "<cache\taccesses\thits [%]\t<misses\ncold\tcapacity\tcoherence\t<other requests\n"
                         "UPGRADE\tUPDATE\tWRITEBACK\t<snoops\nall\tfound\ttaken\naway\t<UPDATEs\ntaken\tmissed\t"
                         "allocated");
    for (unsigned i = 0; i < r->f->nodes; i++)
        for (unsigned k = 0; k < COHERENT_CPUS && r->interconnect[i]; k++) {
            const coherent_processor *p = &r->processor[i][k];
            interconnect_counts x = interconnect_get(r->interconnect[i]);
            const cache_counts *c = &x.cache[k];
            fprintf(t, "%s.cache%u\t%lu\t%.1f\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu\n",
                    p->node->name, k, p->coherent, share((double)hits_of(p, c), (double)p->coherent), c->cold,
                    c->capacity, c->coherence, c->upgrades, c->updates, c->writebacks, c->snoops, c->found,
                    c->invalidated, c->updates_taken, c->updates_missed, c->allocated);
        }
    fclose(t);
}

static uint64_t broadcasts(const interconnect_counts *x)
{
    uint64_t sum = 0;
    for (unsigned k = 0; k < SNOOP_KINDS; k++) sum += x->by_kind[k];
    return sum;
}

static void print_interconnects(const coherent_run *r, FILE *out)
{
    FILE *t = text_table(out, 0,
                         "<interconnect\tbroadcasts\tof clocks [%]\tdata [%]\tREAD\tREAD_\nEXCLUSIVE\tUPGRADE\t"
                         "WRITEBACK\tUPDATE\tINVALIDATE_\nWRITE\tREAD_ONCE");
    for (unsigned i = 0; i < r->f->nodes; i++) {
        if (!r->interconnect[i]) continue;
        interconnect_counts x = interconnect_get(r->interconnect[i]);
        fprintf(t, "%s\t%lu\t%.1f\t%.1f", r->f->cnode[i]->name, broadcasts(&x),
                share((double)broadcasts(&x), (double)x.clocks), share((double)x.data, (double)x.clocks));
        for (unsigned k = 0; k < SNOOP_KINDS; k++) fprintf(t, "\t%lu", x.by_kind[k]);
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
        for (unsigned k = 0; k < COHERENT_CPUS && r->interconnect[i]; k++) {
            const coherent_processor *p = &r->processor[i][k];
            interconnect_counts x = interconnect_get(r->interconnect[i]);
            const cache_counts *c = &x.cache[k];
            json_array_append_new(
                all, json_pack("{si si sI sI s{sI sI sI} sI sI sI sI sI sI sI sI sI}", "node", (int)i, "cache", (int)k,
                               "accesses", (json_int_t)p->coherent, "hits", (json_int_t)hits_of(p, c), "misses", "cold",
                               (json_int_t)c->cold, "capacity", (json_int_t)c->capacity, "coherence",
                               (json_int_t)c->coherence, "upgrades", (json_int_t)c->upgrades, "updates",
                               (json_int_t)c->updates, "writebacks", (json_int_t)c->writebacks, "snoops",
                               (json_int_t)c->snoops, "snoops_found", (json_int_t)c->found, "invalidated",
                               (json_int_t)c->invalidated, "updates_taken", (json_int_t)c->updates_taken,
                               "updates_missed", (json_int_t)c->updates_missed, "allocated", (json_int_t)c->allocated));
        }
    return all;
}

static json_t *interconnects_json(const coherent_run *r)
{
    json_t *all = json_array();
    for (unsigned i = 0; i < r->f->nodes; i++) {
        if (!r->interconnect[i]) continue;
        interconnect_counts x = interconnect_get(r->interconnect[i]);
        json_t *kinds = json_object();
        for (unsigned k = 0; k < SNOOP_KINDS; k++)
            json_object_set_new(kinds, snoop_kind_names[k], json_integer((json_int_t)x.by_kind[k]));
        json_array_append_new(all, json_pack("{si sI sI so}", "node", (int)i, "clocks", (json_int_t)x.clocks,
                                             "data_clocks", (json_int_t)x.data, "broadcasts", kinds));
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
