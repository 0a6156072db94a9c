/* Requests with their times of arrival, and the same run again. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/app/disk/disk_private.h"

void disk_record(disk_service *s, unsigned host, const disk_request *r)
{
    if (!s->record) return;
    fprintf(s->record, "%" PRIu64 " %u %u %u %" PRIu64 " %" PRIu32 " %" PRIu64, sim_now(s->f->s), host, r->operation,
            r->flags, r->offset, r->length, r->verifier);
    if (r->operation == NX_DISK_WRITE) {
        static const char digits[] = "0123456789abcdef";
        const uint8_t *bytes = r->data;
        putc(' ', s->record);
        for (uint32_t i = 0; i < r->length; i++) {
            putc_unlocked(digits[bytes[i] >> 4], s->record);
            putc_unlocked(digits[bytes[i] & 15], s->record);
        }
    }
    fputc('\n', s->record);
}

void disk_record_mark(disk_service *s, sim_time when, const char *what)
{
    if (s->record) fprintf(s->record, "%" PRIu64 " %s\n", when, what);
}

int disk_record_end(disk_service *s)
{
    FILE *f = s->record;
    if (!f) return 0;
    disk_record_mark(s, s->ended, RECORD_END);
    s->record = NULL;
    const int failed = ferror(f);
    if (!fclose(f) && !failed) return 0;
    fprintf(stderr, "block: record %s: it could not be written to its end\n", s->p.record);
    return -1;
}

/* Up to this moment, exactly; 130: Ctrl-C has come before it. */
static int run_until(disk_service *s, sim_time time)
{
    while (sim_now(s->f->s) < time) {
        const sim_time next = sim_now(s->f->s) + 20 * SIM_US;
        if (disk_slice(s, next < time ? next : time)) return 1;
        disk_deliver(s);
        if (disk_interrupted(s)) return 130;
    }
    return 0;
}

static int run_to_the_end(disk_service *s)
{
    while (disk_active(s)) {
        if (disk_slice(s, sim_now(s->f->s) + 4 * SIM_US)) return 1;
        disk_deliver(s);
        (void)disk_interrupted(s);
    }
    return s->interrupted ? 130 : 0;
}

/* All lines: looks at them, or runs them. 0; 1 and 130 as disk_service_replay; -1: the record is not whole, or not one.
 */
static int go_through(disk_service *s, FILE *f, int run, const char *path, char error[DISK_SERVICE_ERROR])
{
    disk_record_reader d = {.file = f, .path = path, .nodes = s->nodes, .time = sim_now(s->f->s)};
    int result = 0, more = 1;
    rewind(f);
    while (!result && (more = disk_record_next(&d, error)) > 0) {
        if (run) result = run_until(s, d.time);
        if (d.request && run && !result) disk_service_submit(s, d.host, d.request);
        else if (d.request) d.request->done(NULL, d.request);
        else if (d.stop && run && !result) disk_stop(s);
    }
    free(d.line);
    return more < 0 ? -1 : result;
}

/* Nothing of a record that is not whole is run. */
static int replay(disk_service *s, FILE *f, const char *path, char error[DISK_SERVICE_ERROR])
{
    int result = go_through(s, f, 0, path, error);
    if (result) return result;
    result = go_through(s, f, 1, path, error);
    const int end = run_to_the_end(s);
    return end ? end : result;
}

int disk_service_replay(disk_service *s, const char *path, char error[DISK_SERVICE_ERROR])
{
    FILE *f = fopen(path, "r");
    *error = '\0';
    if (!f) {
        snprintf(error, DISK_SERVICE_ERROR, "replay %s: %s", path, strerror(errno));
        return -1;
    }
    int result = replay(s, f, path, error);
    fclose(f);
    return result;
}
