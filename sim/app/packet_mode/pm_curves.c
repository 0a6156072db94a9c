#include "sim/app/packet_mode/pm_curves.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/app/packet_mode/pm_jobs.h"
#include "sim/app/packet_mode/pm_page.h"
#include "sim/core/kernel/sim.h"

typedef struct options {
    const char *figure, *arch, *out, *models, *sources, *compared, *standard, *memory;
    uint64_t seed;
    unsigned jobs;
    int quick, points, help;
} options;

/* clang-format off */
static const option table[] = {
    {"figure", "NAME", 0, OPTION_TEXT(options, figure), 0, 0, NULL,
        "figure to make, or all whose names begin so: fig6, fig8 (default all)"},
    {"arch", "NAME", 0, OPTION_TEXT(options, arch), 0, 0, NULL,
        "architecture to make: sm, ppm, dpm, vps or iq (default all)"},
    {"quick", NULL, 0, OPTION_FLAG(options, quick), 0, 0, NULL, "fewer and shorter points, with wider intervals"},
    {"points", NULL, 0, OPTION_FLAG(options, points), 0, 0, NULL, "make points, draw nothing"},
    {"jobs", "N", 0, OPTION_WHOLE(options, jobs), 1, PM_MOST_JOBS, "a number of processes",
        "points at a time (default 2)"},
    RUN_SEED(0, options, seed),
    {"out", "FOLDER", 0, OPTION_TEXT(options, out), 0, 0, NULL,
        "folder of the results (default build/curves)"},
    {"models", "PATHS", 0, OPTION_TEXT(options, models), 0, 0, NULL,
        "model libraries, separated by spaces"},
    {"sources", "TEXT", 0, OPTION_TEXT(options, sources), 0, 0, NULL,
        "checksum of the sources; a change discards saved points"},
    {"beside", "WORDS", 0, OPTION_TEXT(options, compared), 0, 0, NULL,
        "label of further curves: the models of --arch have other modules in slots"},
    {"standard", "PATHS", 0, OPTION_TEXT(options, standard), 0, 0, NULL,
        "with --beside: model libraries with the default modules"},
    {"memory", "FILE", 0, OPTION_TEXT(options, memory), 0, 0, NULL,
        "memory sizes from make synth, for the tables"},
    RUN_HELP(options),
    {0},
};
/* clang-format on */

static int refuse(const char *text)
{
    fprintf(stderr, "curves: %s\n", text);
    return 2;
}

/* ---- the points to be made ---- */

typedef struct job {
    pm_point point;
    char path[PM_PATH];
    int ideal; /* the job that has to be done before, -1: none */
    enum { PENDING, RUNNING, DONE } state;
} job;

typedef struct jobs {
    job *list;
    size_t count, room, done;
    const pm_store *store;
    double started;
    char error[OPTION_ERROR];
} jobs;

/* The number of the job for this point; -1: it exists already; -2: it cannot be made. */
static int want(jobs *j, const pm_point *p)
{
    char path[PM_PATH];
    pm_point ideal;
    json_t *all;
    int before = -1;
    if (pm_point_path(j->store, p, path, j->error)) return -2;
    for (size_t k = 0; k < j->count; k++)
        if (!strcmp(j->list[k].path, path)) return (int)k;
    all = pm_point_load(j->store, p);
    json_decref(all);
    if (all) return -1;
    if (!pm_point_ideal(j->store, p, &ideal) && (before = want(j, &ideal)) == -2) return -2;
    if (j->count == j->room) {
        j->room = j->room ? 2 * j->room : 64;
        j->list = realloc(j->list, j->room * sizeof *j->list);
        if (!j->list) {
            fprintf(stderr, "curves: memory is exhausted\n");
            exit(1);
        }
    }
    job *new = &j->list[j->count++];
    *new = (job){.point = *p, .ideal = before};
    strcpy(new->path, path);
    return (int)j->count - 1;
}

/* ---- they are made ---- */

/* The cheapest one that can be made now: so most curves are complete early. */
static int cheapest(void *self)
{
    jobs *j = self;
    job *best = NULL;
    for (size_t k = 0; k < j->count; k++) {
        job *x = &j->list[k];
        if (x->state != PENDING || (x->ideal >= 0 && j->list[x->ideal].state != DONE)) continue;
        if (!best || pm_point_clocks(&x->point) < pm_point_clocks(&best->point)) best = x;
    }
    if (!best) return -1;
    best->state = RUNNING;
    return (int)(best - j->list);
}

static int make(void *self, int n)
{
    const jobs *j = self;
    return pm_point_make(j->store, &j->list[n].point);
}

static void over(void *self, int n, int code)
{
    jobs *j = self;
    j->list[n].state = code ? PENDING : DONE;
    j->done += !code;
    if (code >= 128 && code != 128 + SIGTERM && code != 128 + SIGINT)
        fprintf(stderr, "curves: %s ended by signal %d\n", strrchr(j->list[n].path, '/') + 1, code - 128);
}

static double cost(const jobs *j, int done)
{
    double sum = 0;
    for (size_t k = 0; k < j->count; k++)
        if ((j->list[k].state == DONE) == done) sum += pm_point_clocks(&j->list[k].point);
    return sum;
}

static void show(void *self)
{
    const jobs *j = self;
    char text[200] = "";
    double passed = sim_wall() - j->started, sum = cost(j, 1);
    for (size_t k = 0; k < j->count && !*text; k++)
        if (j->list[k].state == RUNNING) pm_point_words(&j->list[k].point, text, sizeof text);
    if (!isatty(2)) return;
    fprintf(stderr, "\r\033[K%zu of %zu points", j->done, j->count);
    if (sum > 0 && passed > 5) fprintf(stderr, ", about %.0f min left", passed * cost(j, 0) / sum / 60 + 0.5);
    fprintf(stderr, ": %.60s", text);
    fflush(stderr);
}

/* 0; 1: a point failed; 130: a signal came. */
static int make_all(jobs *j, unsigned at_a_time)
{
    const pm_jobs of = {at_a_time, cheapest, make, over, show, j};
    int code = pm_jobs_run(&of);
    if (isatty(2)) fprintf(stderr, "\r\033[K");
    return code;
}

/* ---- the program ---- */

static int wanted(const options *o, const pm_series *s)
{
    int in_figure = 0;
    for (const pm_figure *f = pm_all_figures; f->name; f++)
        for (unsigned k = 0; k < PM_CURVES && f->series[k]; k++)
            if ((o->figure ? !strncmp(f->name, o->figure, strlen(o->figure)) : !pm_figure_apart(f)) &&
                !strcmp(f->series[k], s->name))
                in_figure = 1;
    return in_figure && (!o->arch || !strcmp(o->arch, s->arch));
}

static int check(const options *o, const pm_architecture *a)
{
    char error[OPTION_ERROR], names[800];
    size_t used = 0;
    int found = !o->figure;
    for (const pm_figure *f = pm_all_figures; f->name; f++) {
        if (o->figure && *o->figure && !strncmp(f->name, o->figure, strlen(o->figure))) found = 1;
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", f->name);
    }
    if (!found) {
        option_complain(error, "figure", o->figure, names);
        return refuse(error);
    }
    while (o->arch && a->name && strcmp(a->name, o->arch)) a++;
    if (o->arch && !a->name) {
        option_complain(error, "arch", o->arch, "sm, ppm, dpm, vps or iq");
        return refuse(error);
    }
    return 0;
}

/* Words with spaces between into a list; NULL behind the last one. */
static char **words(char *text)
{
    size_t n = 0;
    char **list = calloc(strlen(text) / 2 + 2, sizeof *list), *save = NULL;
    for (char *w = strtok_r(text, " ", &save); list && w; w = strtok_r(NULL, " ", &save)) list[n++] = w;
    return list;
}

int pm_curves(int argc, char **argv, const pm_architecture *architectures)
{
    options o = {.out = "build/curves", .models = "", .sources = "", .standard = "", .seed = 1, .jobs = 2};
    char error[OPTION_ERROR], folder[PM_PATH];
    int code;
    if (option_arguments(table, &o, argc, argv, error)) return refuse(error);
    if (o.help) {
        option_help_table(table, "pm-curves: the curves of S3's appendix, drawn from points that are made once",
                          stdout);
        return 0;
    }
    if ((code = check(&o, architectures))) return code;
    snprintf(folder, sizeof folder, "%s/points", o.out);
    if ((mkdir(o.out, 0777) && errno != EEXIST) || (mkdir(folder, 0777) && errno != EEXIST)) {
        fprintf(stderr, "curves: %s: expected a folder, or a name that one can have: %s\n", folder, strerror(errno));
        return 1;
    }
    char *paths = strdup(o.models), **libraries = words(paths);
    pm_store store = {folder, architectures, libraries, o.sources, o.memory};
    pm_effort effort = {o.quick, o.seed};
    jobs j = {.store = &store, .started = sim_wall()};
    for (const pm_series *s = pm_all_series; s->name && !code; s++) {
        double x[PM_X];
        unsigned n = wanted(&o, s) ? pm_series_x(s, &effort, x) : 0;
        for (unsigned k = 0; k < n && !code; k++) {
            pm_point p = pm_series_point(s, &effort, x[k]);
            if (want(&j, &p) == -2) code = refuse(j.error);
        }
    }
    if (!code) code = make_all(&j, o.jobs);
    char *standard_paths = strdup(o.standard), **standard_libraries = words(standard_paths);
    pm_store standard = store;
    pm_comparison compared = {&store, o.arch, o.compared};
    if (o.compared) standard.libraries = standard_libraries;
    if (!code && !o.points) code = pm_page_write(&standard, o.compared && o.arch ? &compared : NULL, &effort, o.out);
    if (code == 130)
        printf("INTERRUPTED: %zu of %zu points are saved in %s; make curves goes on from there\n", j.done, j.count,
               folder);
    else if (code)
        printf("BAD: %zu of %zu points are saved in %s; make curves goes on from there\n", j.done, j.count, folder);
    else if (o.points) printf("GOOD: %zu points in %.0f s, in %s\n", j.done, sim_wall() - j.started, folder);
    else
        printf("GOOD: %zu points in %.0f s; results in %s/curves.html, curves.json and one SVG each\n", j.done,
               sim_wall() - j.started, o.out);
    free(j.list);
    free(libraries);
    free(paths);
    free(standard_libraries);
    free(standard_paths);
    return code;
}
