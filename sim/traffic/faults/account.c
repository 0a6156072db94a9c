/* The account after a run: verdict, table, JSON. */
#include "sim/traffic/faults/faults.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>

#include "sim/core/kernel/text_table.h"
#include "sim/traffic/faults/private.h"

unsigned faults_count(const faults *x) { return x->plan.count; }

fault_account faults_get(const faults *x, unsigned i)
{
    const struct fault_line *line = &x->line[i];
    return (fault_account){.fault = line->f,
                           .struck = line->struck,
                           .first = line->first,
                           .last = line->last,
                           .sight = line->sight,
                           .sights = line->sights,
                           .lost = line->lost,
                           .damaged = line->damaged,
                           .recovery = line->recovery,
                           .recovered = !line->open,
                           .repair = line->f->class->repair,
                           .wrong = line->wrong};
}

int faults_good(const faults *x, char *text, size_t size)
{
    for (unsigned i = 0; i < x->plan.count; i++) {
        if (!*x->line[i].wrong) continue;
        snprintf(text, size, "fault '%s': %s", x->line[i].f->text, x->line[i].wrong);
        return -1;
    }
    if (!x->strange) return 0;
    snprintf(text, size, "%" PRIu64 " packets lost or damaged on paths without a fault, the first from node %u to %u",
             x->strange, x->strange_from, x->strange_to);
    return -1;
}

static void print_sights(const struct fault_line *line, FILE *out)
{
    if (!line->sights) fprintf(out, "no counter");
    for (unsigned k = 0; k < line->sights; k++)
        fprintf(out, "%s%s %s %" PRIu64, k ? ", " : "", line->sight[k].place, line->sight[k].name,
                line->sight[k].count);
}

void faults_print(const faults *x, FILE *out)
{
    fprintf(out, "\nFaults; times since all links were up, lost and damaged packets, recovery: longest time from a "
                 "strike to the next packet\n");
    FILE *t = text_table(out, 0, "<fault\tstruck\tfirst [us]\tlast [us]\tlost\tdamaged\trecovery [us]");
    for (unsigned i = 0; i < x->plan.count; i++) {
        const struct fault_line *line = &x->line[i];
        const double once = line->struck ? 1e-6 : NAN, checked = x->checked ? 0 : NAN;
        fprintf(t, "%s\t%" PRIu64 "\t%.2f\t%.2f\t%.0f\t%.0f\t%.2f\n    seen by ", line->f->text, line->struck,
                once * (double)line->first, once * (double)line->last, checked + (double)line->lost,
                checked + (double)line->damaged, line->open ? NAN : once * (double)line->recovery);
        print_sights(line, t);
        fprintf(t, "; %s\n", line->f->class->repair);
        if (*line->wrong) fprintf(t, "    BAD: %s\n", line->wrong);
    }
    fclose(t);
}

static json_t *packets(const faults *x, uint64_t count)
{
    return x->checked ? json_integer((json_int_t)count) : json_null();
}

struct json_t *faults_json(const faults *x)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < x->plan.count; i++) {
        const struct fault_line *line = &x->line[i];
        json_t *seen = json_array();
        for (unsigned k = 0; k < line->sights; k++)
            json_array_append_new(seen, json_pack("{s:s, s:s, s:I}", "place", line->sight[k].place, "counter",
                                                  line->sight[k].name, "count", (json_int_t)line->sight[k].count));
        json_t *one = json_pack("{s:s, s:I, s:f, s:f, s:o, s:o, s:o, s:s, s:s}", "fault", line->f->text, "struck",
                                (json_int_t)line->struck, "first_us", 1e-6 * (double)line->first, "last_us",
                                1e-6 * (double)line->last, "seen_by", seen, "lost", packets(x, line->lost), "damaged",
                                packets(x, line->damaged), "made_good", line->f->class->repair, "wrong", line->wrong);
        json_object_set_new(one, "recovery_us",
                            line->open || !line->struck ? json_null() : json_real(1e-6 * (double)line->recovery));
        json_array_append_new(list, one);
    }
    return list;
}
