#include "sim/app/packet_mode/pm_point.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/core/kernel/results.h"

const char *pm_point_words(const pm_point *p, char *text, size_t size)
{
    const pm_setup *s = &p->run;
    int used = snprintf(text, size, "%s %s %s%s%s%s %s %g", s->arch, s->sizes, s->pattern,
                        strcmp(s->cells, "0") ? " cells " : "", strcmp(s->cells, "0") ? s->cells : "",
                        s->ports == 16 ? "" : " 4x4", s->arrivals, s->load);
    if (s->priorities == 2 && (size_t)used < size) snprintf(text + used, size - (size_t)used, " high %g", s->high_load);
    if (s->multicast > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, " to %u%s", s->fanout,
                 s->copies  ? " by copies"
                 : s->split ? " split"
                            : "");
    return text;
}

double pm_point_clocks(const pm_point *p)
{
    /* the ideal takes a time for each packet, and short packets are many */
    int many = !strcmp(p->run.sizes, "bimodal") || strchr(p->run.sizes, '/');
    if (!strcmp(p->run.arch, "ideal")) return (many ? 6e-4 : 7e-5) * p->run.load * (double)p->ideal_clocks;
    return (double)(p->run.warmup + p->run.clocks) * (strcmp(p->run.arch, "iq") ? 1 : 0.2) *
           (p->run.ports == 16 ? 1 : 0.1);
}

/* ---- names ---- */

/* The library of a model, by the name of its file; models of a plug-in take precedence over those of the tree. */
static const char *library(const pm_store *s, const char *model)
{
    char end[120];
    snprintf(end, sizeof end, "/lib%s.a", model);
    for (char *const *l = s->libraries; *l; l++)
        if (strlen(*l) > strlen(end) && !strcmp(*l + strlen(*l) - strlen(end), end)) return *l;
    return NULL;
}

/* A file is read once as long as it is the same. */
static int hash_file(struct sha256_ctx *hash, const char *path)
{
    enum { FILES = 64 };
    static struct {
        dev_t device;
        ino_t file;
        struct timespec changed;
        uint8_t digest[SHA256_DIGEST_SIZE];
    } known[FILES];
    struct stat now;
    unsigned k = 0;
    if (stat(path, &now)) return -1;
    while (k + 1 < FILES && known[k].file && (known[k].device != now.st_dev || known[k].file != now.st_ino)) k++;
    if (known[k].file != now.st_ino || known[k].device != now.st_dev || known[k].changed.tv_sec != now.st_mtim.tv_sec ||
        known[k].changed.tv_nsec != now.st_mtim.tv_nsec) {
        struct sha256_ctx own;
        uint8_t part[65536];
        size_t n;
        FILE *f = fopen(path, "rb");
        if (!f) return -1;
        sha256_init(&own);
        while ((n = fread(part, 1, sizeof part, f)) > 0) sha256_update(&own, n, part);
        if (fclose(f)) return -1;
        sha256_digest(&own, sizeof known[k].digest, known[k].digest);
        known[k].device = now.st_dev;
        known[k].file = now.st_ino;
        known[k].changed = now.st_mtim;
    }
    sha256_update(hash, sizeof known[k].digest, known[k].digest);
    return 0;
}

static const pm_architecture *architecture(const pm_store *s, const char *name)
{
    const pm_architecture *a = s->architectures;
    while (a->name && strcmp(a->name, name)) a++;
    return a->name ? a : NULL;
}

int pm_point_path(const pm_store *s, const pm_point *p, char path[PM_PATH], char error[OPTION_ERROR])
{
    const pm_setup *r = &p->run;
    const pm_architecture *a = architecture(s, r->arch);
    const sim_config *model = a ? pm_setup_model(r, a) : NULL;
    const char *lib = model ? library(s, model->name) : NULL;
    json_t *setup = pm_setup_json(r);
    char *text, more[100], sizes[40];
    uint8_t digest[8];
    struct sha256_ctx hash;
    sha256_init(&hash);
    if (strcmp(r->arch, "ideal") && (!lib || hash_file(&hash, lib))) {
        snprintf(error, OPTION_ERROR, "%s: expected its model among the libraries%s%s", r->arch, lib ? ": " : "",
                 lib ? lib : "");
        json_decref(setup);
        return -1;
    }
    json_object_set_new(setup, "warmup", json_integer((json_int_t)r->warmup));
    text = json_dumps(setup, JSON_SORT_KEYS);
    json_decref(setup);
    snprintf(more, sizeof more, "%g %u %lu %s", p->half_width, p->needed, p->ideal_clocks, s->sources);
    sha256_update(&hash, strlen(text), (uint8_t *)text);
    sha256_update(&hash, strlen(more), (uint8_t *)more);
    sha256_digest(&hash, sizeof digest, digest);
    free(text);
    snprintf(sizes, sizeof sizes, "%s-%s", r->sizes, r->pattern);
    for (char *c = sizes; *c; c++)
        if (*c == '/') *c = '_';
    if (r->priorities == 2) snprintf(more, sizeof more, "-high-%g", r->high_load);
    else if (r->multicast > 0)
        snprintf(more, sizeof more, "-to-%u%s", r->fanout, r->copies ? "-copies" : r->split ? "-split" : "");
    else *more = 0;
    snprintf(path, PM_PATH, "%s/%s-%s-%s-%u-%g%s-%02x%02x%02x%02x%02x%02x%02x%02x.json", s->folder, r->arch, sizes,
             r->arrivals, r->ports, r->load, more, digest[0], digest[1], digest[2], digest[3], digest[4], digest[5],
             digest[6], digest[7]);
    return 0;
}

json_t *pm_point_load(const pm_store *s, const pm_point *p)
{
    char path[PM_PATH], error[OPTION_ERROR];
    json_t *all = pm_point_path(s, p, path, error) ? NULL : json_load_file(path, 0, NULL);
    if (json_is_true(json_object_get(all, "whole"))) return all;
    json_decref(all);
    return NULL;
}

int pm_point_ideal(const pm_store *s, const pm_point *p, pm_point *ideal)
{
    const pm_architecture *a = s->architectures;
    pm_run_params params;
    char error[OPTION_ERROR];
    if (!strcmp(p->run.arch, "ideal") || pm_setup_params(&p->run, a, &params, error)) return -1;
    if (pm_traffic_full(&params.traffic) && !(p->run.high_load > 0)) return -1;
    *ideal = *p;
    ideal->run.copies = ideal->run.split = 0;
    ideal->run.arch = "ideal";
    if (!strcmp(p->run.arch, "iq") && !strcmp(p->run.cells, "0")) ideal->run.cells = "1";
    /* what does not change it */
    ideal->run.clocks = ideal->run.warmup = 0;
    ideal->half_width = 0;
    ideal->needed = 0;
    return 0;
}

/* ---- a point is made ---- */

static int save(json_t *all, const char *path)
{
    json_object_set_new(all, "whole", json_true());
    return results_write(all, path) ? 1 : 0;
}

static int make_ideal(const pm_store *s, const pm_point *p, const char *path)
{
    pm_setup run = p->run;
    pm_run_params params;
    pm_ideal_means m;
    char error[OPTION_ERROR];
    run.arch = s->architectures->name; /* any: only the traffic counts; but the longest packets must pass */
    for (const pm_architecture *a = s->architectures; a->name; a++)
        if (pm_setup_model(&run, a) && sim_config_parameter(pm_setup_model(&run, a), "MOST_WORDS", 1024) > 1024)
            run.arch = a->name;
    if (pm_setup_params(&run, s->architectures, &params, error)) {
        fprintf(stderr, "curves: %s\n", error);
        return 1;
    }
    if (pm_ideal_long_run(&params.traffic, p->ideal_clocks, PM_UNIT, run.high_load > 0 ? 1 : -1, &m)) return 1;
    return save(json_pack("{sf sf sf sf sf sf sf sf}", "mean", m.mean, "weighted", m.weighted, "shorter",
                          isnan(m.shorter) ? 0 : m.shorter, "longer", isnan(m.longer) ? 0 : m.longer, "mean_ci",
                          m.mean_ci, "weighted_ci", m.weighted_ci, "shorter_ci", isnan(m.shorter_ci) ? 0 : m.shorter_ci,
                          "longer_ci", isnan(m.longer_ci) ? 0 : m.longer_ci),
                path);
}

static double real(const json_t *all, const char *key)
{
    const json_t *v = json_object_get(all, key);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

int pm_point_make(const pm_store *s, const pm_point *p)
{
    pm_run_params params;
    pm_ideal_means means;
    pm_point ideal;
    pm_result r, priority[PM_PRIORITIES];
    char error[OPTION_ERROR], path[PM_PATH];
    if (pm_point_path(s, p, path, error)) {
        fprintf(stderr, "curves: %s\n", error);
        return 1;
    }
    if (!strcmp(p->run.arch, "ideal")) return make_ideal(s, p, path);
    if (pm_setup_params(&p->run, s->architectures, &params, error)) {
        fprintf(stderr, "curves: %s\n", error);
        return 1;
    }
    params.quiet = 1;
    params.half_width = p->half_width;
    params.needed = p->needed;
    if (p->run.priorities == 2) params.priority = priority;
    params.of_high = p->run.high_load > 0;
    if (!pm_point_ideal(s, p, &ideal)) {
        json_t *all = pm_point_load(s, &ideal);
        if (!all) {
            fprintf(stderr, "curves: the ideal switch's mean is expected before %s\n", path);
            return 1;
        }
        means = (pm_ideal_means){real(all, "mean"),       real(all, "weighted"), real(all, "shorter"),
                                 real(all, "longer"),     real(all, "mean_ci"),  real(all, "weighted_ci"),
                                 real(all, "shorter_ci"), real(all, "longer_ci")};
        params.ideal = &means;
        json_decref(all);
    }
    r = pm_run(&params);
    if (r.interrupted) return 130;
    if (r.error && *r.error) {
        char words[200];
        fprintf(stderr, "curves: %s, seed %lu: %s\n", pm_point_words(p, words, sizeof words), p->run.seed, r.error);
        return 1;
    }
    json_t *all = pm_result_json(&p->run, &r, priority);
    json_object_set_new(all, "clocks_all", json_integer((json_int_t)r.clocks));
    json_object_set_new(all, "wall", json_real(r.wall));
    json_object_set_new(all, "wanted", json_real(p->half_width));
    return save(all, path);
}

/* ---- contents of a result ---- */

const json_t *pm_point_part(const json_t *all, pm_measure m)
{
    const json_t *high = json_object_get(all, "high");
    return high && m != PM_THROUGHPUT ? high : all;
}

pm_value pm_point_value(const json_t *all, pm_measure m)
{
    const json_t *part = pm_point_part(all, m),
                 *of = json_object_get(json_object_get(part, "measures"), pm_measure_names[m]);
    pm_value v = {real(of, "controlled"), real(of, "controlled_half_width"), 0,
                  json_is_true(json_object_get(part, "unstable"))};
    double wanted = real(all, "wanted") / 100;
    if (!all) v.mean = NAN;
    v.hollow = (wanted > 0 && !(v.half_width <= wanted * v.mean)) || json_is_true(json_object_get(of, "dependent"));
    return v;
}

static double of_ideal(const json_t *all, pm_measure m, const char *end)
{
    static const char *const names[PM_MEASURES] = {"mean", "weighted", "shorter", "longer", "longer", NULL};
    char key[40];
    if (!names[m]) return NAN;
    snprintf(key, sizeof key, "%s%s", names[m], end);
    return real(json_object_get(pm_point_part(all, m), "ideal_long_run"), key);
}

double pm_point_ideal_value(const json_t *all, pm_measure m) { return of_ideal(all, m, ""); }

double pm_point_ideal_half_width(const json_t *all, pm_measure m) { return of_ideal(all, m, "_half_width"); }

int pm_point_below_ideal(const json_t *all, pm_measure m)
{
    pm_value v = pm_point_value(all, m);
    double below = pm_point_ideal_value(all, m) - v.mean;
    return v.unstable || !(below > v.half_width) ? 0 : below > 2 * v.half_width ? 2 : 1;
}

static unsigned batches_of(const json_t *all, pm_measure m, batch_sums b[BATCHES_MOST])
{
    const json_t *list = json_object_get(json_object_get(all, "batches"), pm_measure_names[m]);
    unsigned n = (unsigned)json_array_size(list);
    if (n > BATCHES_MOST) n = BATCHES_MOST;
    for (unsigned k = 0; k < n; k++) {
        const json_t *row = json_array_get(list, k);
        b[k] = (batch_sums){json_number_value(json_array_get(row, 0)), json_number_value(json_array_get(row, 1)),
                            json_number_value(json_array_get(row, 2))};
    }
    return n;
}

pm_value pm_point_difference(const json_t *a, const json_t *b, pm_measure m, double factor)
{
    batch_sums x[BATCHES_MOST], y[BATCHES_MOST];
    unsigned n = batches_of(a, m, x), other = batches_of(b, m, y);
    batches_mean d;
    if (n > other) n = other;
    d = batches_difference(x, y, n, factor, pm_point_ideal_value(a, m));
    return (pm_value){n ? d.controlled : NAN, d.controlled_half_width, 0,
                      json_is_true(json_object_get(a, "unstable")) || json_is_true(json_object_get(b, "unstable"))};
}

pm_value pm_point_reduction(const json_t *a, const json_t *b, pm_measure m)
{
    double x = pm_point_value(a, m).mean, y = pm_point_value(b, m).mean;
    pm_value d = pm_point_difference(a, b, m, x / y);
    return (pm_value){1 - x / y, d.half_width / y, 0, d.unstable};
}
