#include "sim/app/roce/board/roce_run.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/core/kernel/event.h"
#include "sim/core/kernel/results.h"

void roce_claim(const char **path)
{
    if (*path) *path = results_claim(*path);
}

int roce_refuse(const char *program, const char *text)
{
    fprintf(stderr, "%s: %s\n", program, *text ? text : "no memory left");
    return 2;
}

void roce_verdict(const char *row, int good, const char *detail)
{
    if (isatty(2)) fputs("\r\033[K", stderr); /* the line of progress */
    printf("%-4s  %-28s  %s\n", good ? "good" : "BAD", row, detail);
    fflush(stdout);
}

int roce_simulate(sim *s, double *wall)
{
    double from = sim_wall();
    int result = sim_recorded(s, sim_run(s, SIM_FOREVER));
    *wall = sim_wall() - from;
    if (result == SIM_INTERRUPTED) return 130;
    if (result != SIM_OK) printf("BAD: %s: %s\n", sim_result_name(result), sim_error(s));
    else if (sim_waves_missing(s)) puts("BAD: no waves are recorded");
    return result != SIM_OK || sim_waves_missing(s);
}

int roce_conclude(int code, roce_system *y, json_t *results, const char *json, const char *pcap)
{
    char error[ETHERNET_ERROR];
    uint64_t frames = 0;
    if (!json) json_decref(results);
    else if (results && results_write(results, json)) {
        puts("BAD: the results are not saved");
        code = 1;
    }
    if (y && roce_system_record_ends(y, &frames, error)) {
        printf("BAD: %s\n", error);
        code = 1;
    }
    if (!code) {
        printf("GOOD%s%s", json ? ": results in " : "", json ? json : "");
        if (pcap) printf("%s %lu packets in %s", json ? "," : ":", frames, pcap);
        puts("");
    } else if (code == 130) puts("INTERRUPTED: results are not saved");
    return code;
}
