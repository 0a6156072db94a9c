/* Waves: one file for all models, and which scopes of them are in it.
 *
 * A model is evaluated no more often than without waves. What it shows is taken when it has settled before an edge, and stands in the file
 * at the time of its edge before: so an input that came in between shows there, too. Clocks are written from their edges, and fall halfway
 * to the next one, for the eye. Each model has a stream of its own (fst.h), and each clock: so groups may run apart. */
#include "sim/runtime/fst.h"
#include "sim/runtime/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

/* What is kept in memory before it is sorted and written [bytes]. */
enum { BLOCK = 32 << 20 };

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

static const char *group_of(const sim_model *m)
{
    return m->clocks.count ? m->clocks.at[0].clock->group->name : "";
}

static const sim_model *model_of(const sim *s, const char *scope)
{
    for (size_t i = 0; i < s->models.count; i++)
        if (is_text(scope, strcspn(scope, "."), s->models.at[i]->name)) return s->models.at[i];
    return NULL;
}

/* Is this scope asked for? The group of a model stands for it ("node3"); the name of its module is left out or not ("nic3.nic.dma"); a
 * module with probes may stand for the instance ("nic3.pcix_target"). */
static bool is_scope(const sim *s, const char *scope, const char *asked, size_t length)
{
    const sim_model *m = model_of(s, scope);
    size_t first = strcspn(asked, ".") < length ? strcspn(asked, ".") : length, rest_length = first < length ? length - first - 1 : 0;
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
static const char *next_asked(const char *asked, size_t length)
{
    return asked[length] ? asked + length + 1 : NULL;
}

static int wanted(void *self, const char *scope)
{
    sim *s = self;
    *list_add(&s->scopes) = new_string(scope);
    for (const char *a = s->params.waves_scopes; a; a = next_asked(a, strcspn(a, ",")))
        if (is_scope(s, scope, a, strcspn(a, ","))) return 1;
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
    for (size_t end = strcspn(asked, ".,"); end < length && is_there(s, asked, end); end += 1 + strcspn(asked + end + 1, ".,")) known = end;
    for (size_t i = 0; i < s->scopes.count; i++) {
        const char *scope = s->scopes.at[i], *last = strrchr(scope, '.');
        char around[512];
        snprintf(around, sizeof around, "%.*s", last ? (int)(last - scope) : 0, scope);
        if (known ? !last || !is_scope(s, around, asked, known) : last != NULL) continue;
        size_t used = strlen(text);
        if (used < sizeof text - 64) snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "", last ? last + 1 : scope);
    }
    sim_fail(s, "waves: no scope %.*s; there are%s%.*s: %s", (int)length, asked, known ? " in " : "", (int)known, asked, text);
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

/* ---- recording ---- */

/* Its state as it is now, at the time of its last edge. */
void waves_show(sim_model *m)
{
    fst_time(m->stream, m->edge);
    m->s->engine->recorder_show(m->recorder, ++m->shown);
}

static void clock_change(sim_clock *c, bool high)
{
    for (size_t i = 0; i < c->ports.count; i++) {
        clocked_port *p = &c->ports.at[i];
        bool now = high && *p->port;
        if (p->signal && p->shown != now) fst_change(c->stream, p->signal, now ? "1       " : "0       ");
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

/* The recorder does not notice a full disk. */
static bool disk_has_room(sim *s)
{
    struct statvfs v;
    if (statvfs(s->waves_path, &v) || (uint64_t)v.f_bavail * v.f_frsize >= s->params.waves_free) return true;
    sim_fail(s, "waves: less than %" PRIu64 " MB left on the disk of %s.fst, recording stopped", s->params.waves_free >> 20, s->waves_base);
    return false;
}

/* ---- files ---- */

/* Files still open when the program ends by exit() are closed then, so that a failed assertion leaves a readable file. */
static LIST(sim *) recording;

static void close_all(void)
{
    while (recording.count) {
        sim *s = recording.at[recording.count - 1];
        if (group_running && s->crew) recording.count--; /* other threads still record; what is written can be read */
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
    s->waves = NULL;
    free(s->waves_path);
    s->waves_path = NULL;
}

/* It has its name when it is whole. */
static void finish(sim *s)
{
    char *whole = new_string(s->waves_path);
    whole[strlen(whole) - strlen(".part")] = '\0';
    int lost = fst_close(s->waves);
    if (lost) {
        sim_fail(s, "waves: %s could not be written to its end: %s", whole, strerror(lost));
        remove(s->waves_path);
    } else if (rename(s->waves_path, whole)) sim_fail(s, "waves: %s cannot be written: %m", whole);
    free(whole);
}

static bool waves_open(sim *s)
{
    static bool registered;
    if (s->waves) return true;
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
            sim_fail(s, "waves: this program has models built for speed, without waves (%s): the same below build/full has them",
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
    for (size_t i = 0; i < s->models.count; i++) record_model(s, s->models.at[i]);
    for (size_t i = 0; i < s->clocks.count; i++) record_clock(s, s->clocks.at[i]);
    fst_begin(s->waves, s->now > s->params.waves_from || s->params.waves_from == SIM_FOREVER ? s->now : s->params.waves_from);
    for (size_t i = 0; i < s->clocks.count; i++) clock_change(s->clocks.at[i], false);
    for (size_t i = 0; i < s->models.count; i++)
        if (s->models.at[i]->recorder) s->engine->recorder_show(s->models.at[i]->recorder, s->models.at[i]->shown = 1);
    if (!scopes_found(s)) {
        fst_close(s->waves);
        remove(s->waves_path);
        stop(s);
        return false;
    }
    s->waves_files++;
    *list_add(&recording) = s;
    if (disk_has_room(s)) return true;
    waves_close(s, false);
    return false;
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
    if (fst_waiting(s->waves) < BLOCK) return;
    fst_write(s->waves, complete_before(s));
    if (!disk_has_room(s)) waves_close(s, false);
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

sim_time waves_limit(const sim *s)
{
    if (!s->waves_base) return SIM_FOREVER;
    if (s->waves_started) return s->waves ? s->params.waves_to : SIM_FOREVER;
    return s->params.waves_from ? s->params.waves_from - 1 : SIM_FOREVER;
}

int sim_waves_start(sim *s)
{
    return waves_open(s) ? 0 : -1;
}

void sim_waves_stop(sim *s)
{
    waves_close(s, false);
}
