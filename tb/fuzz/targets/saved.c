/* Files that the tools of sw/tools read: traces, samples, time stamps, looks at a NIC, dumps of a switch. What was read
 * is written and read again. */
#include <string.h>

#include "nx_latency.h"
#include "nx_samples.h"
#include "nx_stat.h"
#include "nx_trace.h"
#include "sx_print.h"
#include "sx_trace.h"
#include "tb/fuzz/targets/target.h"

static char why[200];

static void trace(FILE *f)
{
    static nx_trace t;
    if (nx_trace_load(&t, f, why, sizeof why)) return;
    (t.device == NX_TRACE_NIC ? nx_trace_print : sx_trace_print)(&t, fuzz_sink());
    (t.device == NX_TRACE_NIC ? nx_trace_check : sx_trace_check)(&t, fuzz_sink());
    *why = '\0';
}

static void samples(FILE *f)
{
    static nx_samples s;
    if (nx_samples_load(&s, f, why, sizeof why)) return;
    nx_samples_print(&s, 20, fuzz_sink());
    nx_samples_draw(&s, fuzz_sink());
    *why = '\0';
}

static void latency(FILE *f)
{
    nx_latency l;
    int bad = nx_latency_load(&l, f, why, sizeof why);
    if (!bad) nx_latency_print(&l, 1, fuzz_sink());
    if (!bad) *why = '\0';
    nx_latency_clear(&l);
}

static void stat(FILE *f)
{
    static nx_stat s, before;
    if (nx_stat_load(&s, f, why, sizeof why)) return;
    nx_stat_print(&s, 1, fuzz_sink());
    nx_stat_moved(&before, &s, fuzz_sink());
    before = s;
    *why = '\0';
}

static void dump(FILE *f)
{
    static sx_dump_image image;
    unsigned line;
    struct sx_platform platform = sx_dump_platform(&image);
    sx_switch sw;
    if (sx_dump_read(&image, f, &line) || sx_open(&sw, &platform)) return;
    CHECK(!sx_print(&sw, SX_ALL_TABLES, fuzz_sink()) || *sw.error);
}

FUZZ(saved)
{
    static const struct {
        const char *head;
        void (*read)(FILE *);
    } kinds[] = {{"nxtrace", trace}, {"nxsample", samples}, {"nxlatency", latency}, {"nxstat", stat}};
    FILE *f = fuzz_file(data, size);
    unsigned k = 0;
    while (k < 4 && (size < strlen(kinds[k].head) || memcmp(data, kinds[k].head, strlen(kinds[k].head)))) k++;
    strcpy(why, "");
    if (k == 4) dump(f);
    else kinds[k].read(f);
    CHECK(!*why || (fuzz_is_line(why) && fuzz_is_refusal(why)));
    fclose(f);
}
