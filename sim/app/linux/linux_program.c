#include "sim/app/linux/linux_program.h"

#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sim/app/linux/linux_world.h"
#include "sim/core/kernel/results.h"

static int refuse(const char *text)
{
    fprintf(stderr, "linux: %s\n", text);
    return 2;
}

/* What makes a run bad although its job says that all is well. */
static const char *verdict(linux_world *w)
{
    for (unsigned i = 0; i < w->guests && !*w->failure; i++) {
        const linux_guest *g = &w->guest[i];
        if (*g->error) snprintf(w->failure, sizeof w->failure, "%s was dropped, see above", g->name);
        else if (*g->bad) snprintf(w->failure, sizeof w->failure, "the log of %s has a warning, see above", g->name);
    }
    if (!*w->failure && sim_waves_missing(w->f->s)) return "no waves are recorded";
    return *w->failure ? w->failure : NULL;
}

static void conclude(const linux_options *o, int code, const char *failed, const char *json)
{
    if (code == 130) fputs("INTERRUPTED; ", stdout);
    else if (failed) printf("BAD: %s; ", failed);
    else if (code) printf("the job of host1 has ended: code %d; ", code);
    else fputs("GOOD: ", stdout);
    printf("results in %s, logs in %s%s%s\n", json, o->logs, o->waves ? ", waves in " : "", o->waves ? o->waves : "");
    fflush(stdout);
}

static int run(const linux_options *o, const sim_config *chip, const char *json)
{
    char error[LINUX_ERROR] = "";
    linux_world *w = linux_world_new(o, chip, error);
    if (!w) return refuse(error), 1;
    int code = linux_world_run(w);
    const char *failed = verdict(w);
    if (failed && !code) code = 1;
    linux_report(w, stdout);
    if (results_write(linux_json(w), json)) failed = "results are not saved", code = code ? code : 1;
    conclude(o, code, failed, json);
    linux_world_free(w);
    return code;
}

int linux_program(int argc, char **argv, const sim_config *const chips[3])
{
    char error[OPTION_ERROR], path[PATH_MAX], logs[PATH_MAX];
    linux_options o;
    if (linux_options_read(&o, argc, argv, error)) return refuse(error);
    if (o.help) {
        option_help_table(linux_options_table, LINUX_OPTIONS_HEAD, stdout);
        return 0;
    }
    if (linux_options_here(&o, error)) return refuse(error);
    snprintf(path, sizeof path, "%s/linux.json", o.out);
    char *json = results_claim(path);
    /* Another run at the same time has files of its own: linux-2.json, linux-2/host1.log. */
    if (json) snprintf(logs, sizeof logs, "%.*s", (int)(strlen(json) - strlen(".json")), json);
    o.logs = logs;
    const int code = json ? run(&o, chips[o.nodes > 4 ? 2 : o.nodes > 2], json) : 1;
    free(json);
    return code;
}
