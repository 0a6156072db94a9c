/* Waves: one file for all models, and which scopes of them are in it.
 *
 * A model is evaluated no more often than without waves. Values are taken when it has settled before an edge, and have
 * in the file the time of its edge before: so an input that came in between shows there, too. Clocks are written from
 * their edges, and fall halfway to the next one. Each model has a stream of its own (fst.h), and each clock: so groups
 * may run in windows. */
#include "sim/core/waves/waves.h"
#include "sim/core/kernel/event.h"
#include "sim/core/parallel/parallel.h"
#include "sim/core/waves/fst.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

/* Changes kept in memory before they are sorted and written [bytes]; files of a ring before the last one. */
enum { BLOCK = 32 << 20, OLDER = 3 };

/* ---- scopes ---- */

static bool is_text(const char *text, size_t length, const char *other)
{
    return strlen(other) == length && !strncmp(text, other, length);
}

static const char *behind_dot(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot ? dot + 1 : "";
}

static const char *group_of(const sim_model *m) { return m->clocks.count ? m->clocks.at[0].clock->group->name : ""; }

static const sim_model *model_of(const sim *s, const char *scope)
{
    for (size_t i = 0; i < s->models.count; i++)
        if (is_text(scope, strcspn(scope, "."), s->models.at[i]->name)) return s->models.at[i];
    return NULL;
}

/* Is this scope asked for? The group of a model stands for it ("node3"); the name of its module is left out or not
 * ("nic3.nic.dma"); a module with probes may stand for the instance ("nic3.pcix_target"). */
static bool is_scope(const sim *s, const char *scope, const char *asked, size_t length)
{
    const sim_model *m = model_of(s, scope);
    size_t first = strcspn(asked, ".") < length ? strcspn(asked, ".") : length,
           rest_length = first < length ? length - first - 1 : 0;
    if (!is_text(asked, first, m->name) && !is_text(asked, first, group_of(m))) return false;
    const char *rest = asked + length - rest_length, *inside = behind_dot(scope), *instance = behind_dot(inside);
    if (is_text(rest, rest_length, inside) || is_text(rest, rest_length, instance)) return true;
    const char *last = strrchr(instance, '.') ? strrchr(instance, '.') + 1 : instance;
    size_t around = (size_t)(last - instance);
    for (size_t i = 0; i < m->config->probe_count; i++) {
        const sim_probe *p = &m->config->probes[i];
        if (!strcmp(p->path, inside) && rest_length > around && !strncmp(rest, instance, around) &&
            is_text(rest + around, rest_length - around, p->module))
            return true;
    }
    return false;
}

/* Of a list with commas: where the next one begins, or NULL. */
static const char *next_asked(const char *asked, size_t length) { return asked[length] ? asked + length + 1 : NULL; }

static int wanted(void *self, const char *name, uint32_t signal, unsigned bits)
{
    sim *s = self;
    if (signal) { /* of a scope that is not recorded: by an event at least */
        const sim_model *m = model_of(s, name);
        int looked = 0;
        for (int i = 0; i < 2; i++)
            if (s->waves_event[i]) looked |= event_offer(s->waves_event[i], group_of(m), name, signal, bits);
        for (size_t i = 0; looked && i < m->clocks.count; i++) {
            const sim_clock *c = m->clocks.at[i].clock;
            if (!c->cycles && c->next.time > s->waves_asked) s->waves_asked = c->next.time;
        }
        return looked;
    }
    *list_add(&s->scopes) = new_string(name);
    for (const char *a = s->params.waves_scopes; a; a = next_asked(a, strcspn(a, ",")))
        if (is_scope(s, name, a, strcspn(a, ","))) return 1;
    return !s->params.waves_scopes;
}

static bool is_there(const sim *s, const char *asked, size_t length)
{
    for (size_t i = 0; i < s->scopes.count; i++)
        if (is_scope(s, s->scopes.at[i], asked, length)) return true;
    return false;
}

/* The first part of a name that is nowhere: what is there instead. */
static void refuse(sim *s, const char *asked, size_t length)
{
    size_t known = 0;
    char text[512] = "";
    for (size_t end = strcspn(asked, ".,"); end < length && is_there(s, asked, end);
         end += 1 + strcspn(asked + end + 1, ".,"))
        known = end;
    for (size_t i = 0; i < s->scopes.count; i++) {
        const char *scope = s->scopes.at[i], *last = strrchr(scope, '.');
        char around[512];
        snprintf(around, sizeof around, "%.*s", last ? (int)(last - scope) : 0, scope);
        if (known ? !last || !is_scope(s, around, asked, known) : last != NULL) continue;
        size_t used = strlen(text);
        if (used < sizeof text - 64)
            snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "", last ? last + 1 : scope);
    }
    sim_fail(s, "waves: no scope %.*s; there are%s%.*s: %s", (int)length, asked, known ? " in " : "", (int)known, asked,
             text);
}

static bool scopes_found(sim *s)
{
    for (const char *a = s->params.waves_scopes; a; a = next_asked(a, strcspn(a, ",")))
        if (!is_there(s, a, strcspn(a, ","))) {
            refuse(s, a, strcspn(a, ","));
            return false;
        }
    return true;
}

/* ---- events ---- */

static uint64_t bits_of(void *waves, uint32_t signal, unsigned lsb, unsigned bits)
{
    return fst_bits(waves, signal, lsb, bits);
}

static int begins(void *self)
{
    const sim *s = self;
    return event_holds(s->waves_event[0], bits_of, s->waves);
}

static int ends(void *self)
{
    const sim *s = self;
    return event_holds(s->waves_event[1], bits_of, s->waves);
}

static bool events_read(sim *s)
{
    const char *text[] = {s->params.waves_from_event, s->params.waves_to_event};
    char error[EVENT_ERROR];
    for (int i = 0; i < 2; i++) {
        if (!text[i]) continue;
        s->waves_event[i] = event_new(text[i], error);
        if (s->waves_event[i]) continue;
        sim_fail(s, "waves: %s", error);
        return false;
    }
    return true;
}

static bool events_found(sim *s)
{
    fst_condition c[2] = {{.holds = begins, .self = s}, {.holds = ends, .self = s}};
    char error[EVENT_ERROR];
    for (int i = 0; i < 2; i++) {
        if (!s->waves_event[i]) continue;
        if (event_complete(s->waves_event[i], error)) {
            sim_fail(s, "waves: %s", error);
            return false;
        }
        c[i].signals = event_signals(s->waves_event[i], &c[i].count);
    }
    fst_wait(s->waves, s->waves_event[0] ? &c[0] : NULL, s->params.waves_before, s->waves_event[1] ? &c[1] : NULL,
             s->waves_asked);
    return true;
}

/* ---- recording ---- */

/* Said, but the run goes on. */
static void __attribute__((format(printf, 2, 3))) note(const sim *s, const char *format, ...)
{
    va_list ap;
    if (s->params.quiet) return;
    va_start(ap, format);
    fputs("sim: waves: ", stderr);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fputc('\n', stderr);
}

static void show(sim_model *m, uint64_t n)
{
    m->s->engine->recorder_show(m->recorder, m->shown = n);
    fst_find(m->stream);
}

/* Its state as it is now, at the time of its last edge. */
void waves_show(sim_model *m)
{
    fst_time(m->stream, m->edge);
    show(m, m->shown + 1);
}

static void clock_change(sim_clock *c, bool high)
{
    for (size_t i = 0; i < c->ports.count; i++) {
        clocked_port *p = &c->ports.at[i];
        bool now = high && *p->port;
        if (p->signal && p->shown != now) fst_put(c->stream, p->signal, now, 1);
        p->shown = now;
    }
}

static void clock_fall(sim_clock *c)
{
    if (c->fall_shown == SIM_FOREVER) return;
    fst_time(c->stream, c->fall_shown);
    clock_change(c, false);
    c->fall_shown = SIM_FOREVER;
}

void waves_edge(sim_clock *c, sim_time now)
{
    clock_fall(c);
    fst_time(c->stream, now);
    clock_change(c, true);
    c->fall_shown = now + (c->next.time - now) / 2;
}

/* What lies before is in the streams. */
static sim_time complete_before(const sim *s)
{
    sim_time until = SIM_FOREVER;
    for (size_t i = 0; i < s->models.count; i++) {
        const sim_model *m = s->models.at[i];
        if (m->recorder && m->clocks.count && m->edge < until) until = m->edge;
    }
    for (size_t i = 0; i < s->clocks.count; i++)
        if (s->clocks.at[i]->stream && s->clocks.at[i]->fall_shown < until) until = s->clocks.at[i]->fall_shown;
    return until;
}

/* Or recording ends here, before something else has to. */
static bool disk_has_room(sim *s)
{
    struct statvfs v;
    if (statvfs(s->waves_path, &v) || (uint64_t)v.f_bavail * v.f_frsize >= s->params.waves_free) return true;
    note(s, "less than %" PRIu64 " MB left on the disk of %s.fst, not recorded from %.3f us on",
         s->params.waves_free >> 20, s->waves_base, (double)s->now * 1e-6);
    return false;
}

/* ---- who writes ---- */

/* Threads that run groups, as far as there is work for them. */
static unsigned runners(const sim *s)
{
    unsigned most = s->groups.count > 2 ? (unsigned)s->groups.count - 1 : 1;
    return s->threads < most ? s->threads : most;
}

/* Processors in addition to theirs. */
static unsigned spare_processors(const sim *s)
{
    unsigned all = sim_processors();
    return all > runners(s) ? all - runners(s) : 0;
}

/* Threads that write while others run groups: half as much work. */
static unsigned writers(const sim *s)
{
    unsigned enough = (runners(s) + 1) / 2, spare = spare_processors(s);
    if (sim_processors() < 2) return 0;
    return spare < 1 ? 1 : spare < enough ? spare : enough;
}

/* Those that run groups write, too, where others could not keep up: most of it while they wait for each other. */
static thread_pool *writing_crew(const sim *s)
{
    return s->thread_pool && s->level && 3 * spare_processors(s) < thread_pool_threads(s->thread_pool) ? s->thread_pool
                                                                                                       : NULL;
}

void waves_help(const sim *s, unsigned thread)
{
    while (s->waves && atomic_load(&s->at_work) && fst_help(s->waves, thread)) {
    }
}

/* ---- files ---- */

/* Files still open when the program ends by exit() are closed then, so that a failed assertion leaves a readable file.
 */
static LIST(sim *) recording;

static void close_all(void)
{
    while (recording.count) {
        sim *s = recording.at[recording.count - 1];
        if (group_running && s->thread_pool)
            recording.count--; /* other threads still record; what is written can be read */
        else waves_close(s, true);
    }
    list_free(&recording);
}

static void record_clock(sim *s, sim_clock *c)
{
    c->stream = fst_stream_new(s->waves);
    c->fall_shown = SIM_FOREVER;
    for (size_t i = 0; i < c->ports.count; i++) {
        clocked_port *p = &c->ports.at[i];
        char name[512];
        for (size_t k = 0; k < p->model->ports.count; k++) {
            if (p->model->ports.at[k].at != p->port) continue;
            snprintf(name, sizeof name, "%s.%s", p->model->name, p->model->ports.at[k].name);
            p->signal = fst_claim(c->stream, name);
            p->shown = true;
        }
    }
}

static void record_model(sim *s, sim_model *m)
{
    m->stream = fst_stream_new(s->waves);
    s->engine->context_time(m->context, s->now);
    m->recorder = s->engine->recorder_new();
    m->config->waves(m->impl, m->recorder);
    s->engine->recorder_open(m->recorder, m->stream);
    if (fst_wanted(m->stream)) return;
    s->engine->recorder_free(m->recorder);
    m->recorder = NULL;
}

static void stop(sim *s)
{
    for (size_t i = 0; i < s->models.count; i++) {
        if (s->models.at[i]->recorder) s->engine->recorder_free(s->models.at[i]->recorder);
        s->models.at[i]->recorder = NULL;
    }
    for (size_t i = 0; i < s->clocks.count; i++) s->clocks.at[i]->stream = NULL;
    for (size_t i = 0; i < s->scopes.count; i++) free(s->scopes.at[i]);
    list_free(&s->scopes);
    for (int i = 0; i < 2; i++) {
        event_free(s->waves_event[i]);
        s->waves_event[i] = NULL;
    }
    s->waves = NULL;
    free(s->waves_path);
    s->waves_path = NULL;
}

/* The name of the file when it is whole; number > 0: of one before it, in a ring. */
static char *whole_name(const sim *s, int number)
{
    size_t length = strlen(s->waves_path) - strlen(".fst.part");
    char *name = new_zeroed(length + 16), suffix[8] = "";
    if (number) snprintf(suffix, sizeof suffix, "-%d", number);
    sprintf(name, "%.*s%s.fst", (int)length, s->waves_path, suffix);
    return name;
}

static void remove_file(const sim *s, int number)
{
    char *name = whole_name(s, number);
    remove(name);
    free(name);
}

/* Those of an earlier run. */
static void remove_older(sim *s)
{
    for (int i = 1; i <= OLDER && s->waves_older; i++) remove_file(s, i);
    s->waves_older = false;
}

/* A file of a ring is full: it and those before it make room for the next one. */
static int ring_next(void *self)
{
    sim *s = self;
    int lost = 0;
    remove_older(s);
    for (int i = OLDER; i > 0; i--) {
        char *to = whole_name(s, i), *from = i > 1 ? whole_name(s, i - 1) : new_string(s->waves_path);
        if (rename(from, to) && errno != ENOENT) lost = errno;
        free(from);
        free(to);
    }
    return lost;
}

/* It has its name when it is whole. A failure is reported, and leaves a readable file; without that an older file
 * stays. */
static void finish(sim *s)
{
    char *whole = whole_name(s, 0);
    uint64_t blocks;
    int lost = fst_close(s->waves, writing_crew(s), &blocks);
    if (lost)
        note(s, "%s: %s; %s", whole, strerror(lost),
             blocks ? "what was written before can be read" : "nothing is recorded");
    else if (!blocks)
        note(s, "%s was never so up to %.3f us, the end of the run: nothing is recorded in %s",
             s->params.waves_from_event, (double)s->now * 1e-6, whole);
    s->waves_left = blocks;
    s->waves_lost |= !blocks;
    if (blocks) remove_older(s);
    if (!blocks) {
        remove(s->waves_path);
    } else if (rename(s->waves_path, whole)) note(s, "%s cannot be written: %s", whole, strerror(errno));
    free(whole);
}

/* Nothing has been recorded, and there will be nothing. */
static bool give_up(sim *s)
{
    uint64_t blocks;
    fst_close(s->waves, NULL, &blocks);
    remove(s->waves_path);
    stop(s);
    return false;
}

/* A file, and in it all signals that are to be recorded. */
static bool describe(sim *s)
{
    static bool registered;
    if (!s->waves_base) {
        sim_fail(s, "waves: no file name (sim_params.waves, SIM_WAVES or make ... WAVES=1)");
        return false;
    }
    if (!s->engine) {
        sim_fail(s, "waves: there is no model to show");
        return false;
    }
    for (size_t i = 0; i < s->models.count; i++)
        if (!s->models.at[i]->config->waves) {
            sim_fail(s,
                     "waves: this program has models built for speed, without waves (%s): the same below build/full "
                     "has them",
                     s->models.at[i]->name);
            return false;
        }
    if (!registered && atexit(close_all)) return false;
    registered = true;

    char suffix[8] = "";
    if (s->waves_files) snprintf(suffix, sizeof suffix, "-%c", 'a' + (int)(s->waves_files % 26));
    s->waves_path = new_zeroed(strlen(s->waves_base) + sizeof suffix + sizeof ".fst.part");
    sprintf(s->waves_path, "%s%s.fst.part", s->waves_base, suffix);
    s->waves = fst_open(s->waves_path, wanted, s);
    if (!s->waves) {
        sim_fail(s, "waves: cannot write %s%s.fst: %m", s->waves_base, suffix);
        free(s->waves_path);
        return false;
    }
    if (!events_read(s)) return give_up(s);
    for (size_t i = 0; i < s->models.count; i++) record_model(s, s->models.at[i]);
    for (size_t i = 0; i < s->clocks.count; i++) record_clock(s, s->clocks.at[i]);
    return scopes_found(s) && events_found(s) ? true : give_up(s);
}

int sim_waves_check(sim *s)
{
    if (!s->waves_base) return 0;
    if (!describe(s)) return -1;
    give_up(s);
    return 0;
}

static bool waves_open(sim *s)
{
    if (s->waves) return true;
    if (!describe(s)) return false;
    if (!disk_has_room(s)) {
        s->waves_lost = true;
        return give_up(s);
    }
    s->waves_older = s->params.waves_size;
    if (s->params.waves_size) fst_ring(s->waves, s->params.waves_size, ring_next, s);
    fst_begin(s->waves,
              s->now > s->params.waves_from || s->params.waves_from == SIM_FOREVER ? s->now : s->params.waves_from,
              writers(s));
    for (size_t i = 0; i < s->clocks.count; i++) clock_change(s->clocks.at[i], false);
    for (size_t i = 0; i < s->models.count; i++)
        if (s->models.at[i]->recorder) show(s->models.at[i], 1);
    s->waves_files++;
    *list_add(&recording) = s;
    return true;
}

int sim_waves_missing(const sim *s) { return s->waves_lost && !s->waves_left; }

void waves_ended(sim *s)
{
    waves_close(s, true);
    if (!s->waves_base || s->waves_started || s->params.waves_from == SIM_FOREVER || !s->engine) return;
    s->waves_lost = true;
    note(s, "to begin at %.3f us, the run ended at %.3f us: nothing is recorded in %s.fst",
         (double)s->params.waves_from * 1e-6, (double)s->now * 1e-6, s->waves_base);
}

void waves_close(sim *s, bool ended)
{
    if (!s->waves) return;
    size_t kept = 0;
    for (size_t i = 0; i < recording.count; i++)
        if (recording.at[i] != s) recording.at[kept++] = recording.at[i];
    recording.count = kept;
    for (size_t i = 0; i < s->models.count && ended; i++) {
        if (!s->models.at[i]->recorder) continue;
        model_settle(s->models.at[i], s->now);
        waves_show(s->models.at[i]);
    }
    finish(s);
    stop(s);
}

void waves_keep_up(sim *s)
{
    size_t least = s->params.waves_size && s->params.waves_size / 8 < BLOCK ? s->params.waves_size / 8 : BLOCK;
    if (fst_waiting(s->waves) < least) return;
    if (fst_write(s->waves, complete_before(s), writing_crew(s)) || !disk_has_room(s)) waves_close(s, false);
}

/* The automatic start and stop, before what happens at `next`. */
void waves_window(sim *s, sim_time next)
{
    if (!s->waves_base) return;
    if (s->waves && next > s->params.waves_to) waves_close(s, false);
    if (!s->waves_started && s->engine && next >= s->params.waves_from && next <= s->params.waves_to) {
        s->waves_started = true;
        waves_open(s);
    }
}

/* The same in ranks that record and in those that do not. */
sim_time waves_limit(const sim *s, sim_time next)
{
    const sim_params *p = &s->params;
    if (next < p->waves_from) return p->waves_from - 1;
    return next <= p->waves_to ? p->waves_to : SIM_FOREVER;
}

int sim_waves_start(sim *s) { return waves_open(s) ? 0 : -1; }

void sim_waves_stop(sim *s) { waves_close(s, false); }
