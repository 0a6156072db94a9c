#include "trace_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

static char wrong[300];

#define WRONG(...) (snprintf(wrong, sizeof wrong, __VA_ARGS__), wrong)

static unsigned whole(const json_t *event, const char *name)
{
    return (unsigned)json_integer_value(json_object_get(event, name));
}

static const char *text_of(const json_t *event, const char *name)
{
    const char *text = json_string_value(json_object_get(event, name));
    return text ? text : "";
}

/* [ns] of a time in us. */
static uint64_t ns_of(const json_t *event, const char *name)
{
    return (uint64_t)llround(1000 * json_number_value(json_object_get(event, name)));
}

static int is_life(const json_t *event) { return strchr("be", *text_of(event, "ph")) != NULL; }

/* ---- one event ---- */

static const char *event_wrong(const json_t *e, unsigned index)
{
    static const struct {
        char phase;
        const char *numbers, *texts; /* with a space behind each */
    } kinds[] = {{'M', "pid ", "name "},
                 {'X', "pid tid ts dur ", "name "},
                 {'C', "pid ts ", "name "},
                 {'s', "pid tid ts id ", "cat name "},
                 {'t', "pid tid ts id ", "cat name "},
                 {'f', "pid tid ts id ", "cat name "},
                 {'b', "pid tid ts id ", "cat name "},
                 {'e', "pid tid ts id ", "cat name "}};
    const char *phase = text_of(e, "ph");
    unsigned k = 0;
    char list[64], *name, *rest;
    while (k < sizeof kinds / sizeof kinds[0] && (kinds[k].phase != *phase || phase[1])) k++;
    if (k == sizeof kinds / sizeof kinds[0]) return WRONG("event %u: no phase of the format: \"%s\"", index, phase);
    snprintf(list, sizeof list, "%s", kinds[k].numbers);
    for (name = strtok_r(list, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        const json_t *value = json_object_get(e, name);
        if (!json_is_number(value) || json_number_value(value) < 0)
            return WRONG("event %u, %s: %s is no number", index, phase, name);
    }
    snprintf(list, sizeof list, "%s", kinds[k].texts);
    for (name = strtok_r(list, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
        if (!json_is_string(json_object_get(e, name))) return WRONG("event %u, %s: %s is no text", index, phase, name);
    if (*phase == 'C') {
        const char *key;
        json_t *value;
        json_object_foreach(json_object_get(e, "args"), key, value) if (!json_is_number(value)) return WRONG(
            "event %u: a curve with %s, which is no number", index, key);
    }
    return NULL;
}

/* ---- slices ---- */

static int by_place(const void *a, const void *b)
{
    const trace_slice_read *x = a, *y = b;
    if (x->process != y->process) return x->process < y->process ? -1 : 1;
    if (x->track != y->track) return x->track < y->track ? -1 : 1;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end) return x->end > y->end ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static const char *name_of(const trace_read *r, const char *kind, unsigned process, unsigned track)
{
    size_t i;
    json_t *e;
    json_array_foreach(r->events, i, e) if (*text_of(e, "ph") == 'M' && !strcmp(text_of(e, "name"), kind) &&
                                            whole(e, "pid") == process &&
                                            whole(e, "tid") == track) return text_of(json_object_get(e, "args"),
                                                                                     "name");
    return NULL;
}

static const char *slices_wrong(trace_read *r)
{
    enum { DEEP = 16 };
    uint64_t open[DEEP];
    unsigned depth = 0;
    qsort(r->slice, r->slices, sizeof *r->slice, by_place);
    for (unsigned i = 0; i < r->slices; i++) {
        const trace_slice_read *s = &r->slice[i];
        if (!i || s->process != s[-1].process || s->track != s[-1].track) {
            depth = 0;
            if (!name_of(r, "process_name", s->process, 0)) return WRONG("process %u has no name", s->process);
            if (!name_of(r, "thread_name", s->process, s->track))
                return WRONG("track %u of process %u has no name", s->track, s->process);
        }
        while (depth && open[depth - 1] <= s->begin) depth--;
        if (depth && s->end > open[depth - 1])
            return WRONG(
                "slice %s of track %u.%u, %llu..%llu ns, begins inside of another one and ends behind it, at %llu",
                s->name, s->process, s->track, (unsigned long long)s->begin, (unsigned long long)s->end,
                (unsigned long long)open[depth - 1]);
        if (depth == DEEP) return WRONG("slices of track %u.%u are nested too deep", s->process, s->track);
        open[depth++] = s->end;
    }
    return NULL;
}

/* ---- arrows and lives: events of one id, in the order of the file ---- */

typedef struct part {
    unsigned long long id;
    unsigned index;
    const json_t *e;
} part;

static int by_id(const void *a, const void *b)
{
    const part *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static int touches(const trace_read *r, const json_t *e)
{
    uint64_t at = ns_of(e, "ts");
    unsigned process = whole(e, "pid"), track = whole(e, "tid"), low = 0, high = r->slices;
    while (low < high) { /* the first one behind it */
        unsigned middle = (low + high) / 2;
        const trace_slice_read *s = &r->slice[middle];
        int before = s->process != process ? s->process < process
                     : s->track != track   ? s->track < track
                                           : s->begin <= at;
        if (before) low = middle + 1;
        else high = middle;
    }
    for (unsigned i = low; i-- && r->slice[i].process == process && r->slice[i].track == track;)
        if (at <= r->slice[i].end) return 1;
    return 0;
}

static const char *arrow_wrong(const trace_read *r, const part *p, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char expected = i == 0 ? 's' : i + 1 == count ? 'f' : 't', is = *text_of(p[i].e, "ph");
        if (count < 2 || is != expected) return WRONG("arrow %llu: part %u of %u is %c", p->id, i + 1, count, is);
        if (i && ns_of(p[i].e, "ts") < ns_of(p[i - 1].e, "ts")) return WRONG("arrow %llu goes back in time", p->id);
        if (!touches(r, p[i].e)) return WRONG("arrow %llu: part %u of %u touches no slice", p->id, i + 1, count);
    }
    return NULL;
}

static const char *life_wrong(const part *p, unsigned count)
{
    enum { DEEP = 4 };
    const json_t *open[DEEP];
    unsigned depth = 0;
    uint64_t before = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t at = ns_of(p[i].e, "ts");
        if (i && at < before) return WRONG("life %llu goes back in time", p->id);
        /* the stages leave no gap, and are all of it */
        if (i > 1 && at != before && (*text_of(p[i].e, "ph") == 'b' || i + 1 == count))
            return WRONG("life %llu has a gap before %s", p->id, text_of(p[i].e, "name"));
        before = at;
        if (*text_of(p[i].e, "ph") == 'b') {
            if (depth == DEEP) return WRONG("life %llu is nested too deep", p->id);
            open[depth++] = p[i].e;
        } else if (!depth-- || strcmp(text_of(p[i].e, "name"), text_of(open[depth], "name")))
            return WRONG("life %llu: %s ends, which did not begin", p->id, text_of(p[i].e, "name"));
    }
    return depth ? WRONG("life %llu has no end", p->id) : NULL;
}

static const char *chains_wrong(trace_read *r, int lives, int cut, unsigned *chains)
{
    part *all = calloc(json_array_size(r->events) + 1, sizeof *all);
    const char *why = NULL;
    unsigned count = 0, last = 0;
    size_t i;
    json_t *e;
    json_array_foreach(r->events, i, e)
    {
        const char *phase = text_of(e, "ph");
        if (!(lives ? is_life(e) : strchr("stf", *phase) != NULL)) continue;
        last = (unsigned)i;
        all[count++] = (part){(unsigned long long)json_integer_value(json_object_get(e, "id")), (unsigned)i, e};
    }
    qsort(all, count, sizeof *all, by_id);
    *chains = 0;
    for (unsigned from = 0, to; from < count && !why; from = to) {
        for (to = from + 1; to < count && all[to].id == all[from].id;) to++;
        if (cut && all[to - 1].index == last) continue;
        ++*chains;
        why = lives ? life_wrong(all + from, to - from) : arrow_wrong(r, all + from, to - from);
    }
    free(all);
    return why;
}

/* ---- the whole ---- */

const char *trace_wrong(const char *text, int cut, trace_read *r)
{
    json_error_t error;
    size_t i;
    json_t *e;
    *r = (trace_read){.events = json_loads(text, 0, &error)};
    if (!r->events) { /* "the last ] is optional" */
        char *closed = malloc(strlen(text) + 3);
        sprintf(closed, "%s\n]", text);
        r->events = json_loads(closed, 0, &error);
        free(closed);
    }
    if (!json_is_array(r->events)) return WRONG("no array of JSON: %s", error.text);
    r->slice = calloc(json_array_size(r->events) + 1, sizeof *r->slice);
    json_array_foreach(r->events, i, e)
    {
        const char *why = event_wrong(e, (unsigned)i);
        if (why) return why;
        if (*text_of(e, "ph") != 'X') continue;
        uint64_t begin = ns_of(e, "ts");
        if (!begin && !ns_of(e, "dur")) return WRONG("event %u is a slice of no length at 0 ps", (unsigned)i);
        r->slice[r->slices++] = (trace_slice_read){
            whole(e, "pid"),    whole(e, "tid"),           (unsigned)i, begin, begin + ns_of(e, "dur"),
            text_of(e, "name"), json_object_get(e, "args")};
    }
    const char *why = slices_wrong(r);
    if (!why) why = chains_wrong(r, 0, cut, &r->arrows);
    return why ? why : chains_wrong(r, 1, cut, &r->lives);
}

static void load(const char *path, int cut, trace_read *r)
{
    FILE *f = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    ck_assert_msg(f != NULL, "%s is missing", path);
    if (getdelim(&text, &size, '\0', f) < 0) text = strdup("");
    fclose(f);
    const char *why = trace_wrong(text, cut, r);
    free(text);
    ck_assert_msg(!why, "%s: %s", path, why);
}

void trace_load(const char *path, trace_read *r) { load(path, 0, r); }

void trace_load_cut(const char *path, trace_read *r) { load(path, 1, r); }

void trace_read_free(trace_read *r)
{
    json_decref(r->events);
    free(r->slice);
    *r = (trace_read){0};
}

trace_lives trace_count_lives(const trace_read *r, int from, int to, uint64_t begin, uint64_t end)
{
    trace_lives n = {.min = INFINITY};
    double sum = 0;
    size_t i;
    json_t *e;
    json_array_foreach(r->events, i, e)
    {
        const json_t *args = json_object_get(e, "args"), *latency = json_object_get(args, "latency_ns");
        if (*text_of(e, "ph") != 'b' || !latency || ns_of(e, "ts") < begin || ns_of(e, "ts") >= end) continue;
        if ((from >= 0 && whole(args, "from") != (unsigned)from) || (to >= 0 && whole(args, "to") != (unsigned)to))
            continue;
        double ns = json_number_value(latency);
        n.packets++;
        n.bytes += whole(args, "bytes");
        sum += ns;
        if (ns < n.min) n.min = ns;
        if (ns > n.max) n.max = ns;
    }
    n.mean = n.packets ? sum / n.packets : 0;
    return n;
}

unsigned trace_slices_of(const trace_read *r, const char *process, const char *track, const trace_slice_read **first)
{
    for (unsigned i = 0; i < r->slices; i++) {
        const trace_slice_read *s = &r->slice[i];
        unsigned count = 0;
        if (i && s->process == s[-1].process && s->track == s[-1].track) continue;
        if (strcmp(name_of(r, "thread_name", s->process, s->track), track)) continue;
        if (process && strcmp(name_of(r, "process_name", s->process, 0), process)) continue;
        while (i + count < r->slices && s[count].process == s->process && s[count].track == s->track) count++;
        *first = s;
        return count;
    }
    return 0;
}

uint64_t trace_sum(const trace_read *r, const char *track, const char *member)
{
    const trace_slice_read *s;
    uint64_t sum = 0;
    for (unsigned n = trace_slices_of(r, NULL, track, &s); n--;) sum += whole(s[n].args, member);
    return sum;
}
