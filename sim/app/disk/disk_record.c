/* Requests with their times of arrival, and the same run again. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/app/disk/disk_private.h"

void disk_record(disk_service *s, unsigned host, const disk_request *r)
{
    if (!s->record) return;
    fprintf(s->record, "%" PRIu64 " %u %u %u %" PRIu64 " %" PRIu32 " %" PRIu64, sim_now(s->f->s), host, r->operation, r->flags, r->offset,
            r->length, r->verifier);
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

static void ended(void *self, disk_request *r)
{
    (void)self;
    free(r->data);
    free(r);
}

static int hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A line as a request; NULL: it is none. */
static disk_request *parse(const char *line, sim_time *time, unsigned *host)
{
    disk_request q = {.done = ended}, *r;
    uint64_t n[4]; /* host, operation, flags, length: as long as a line may have them */
    int used = 0;
    if (sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 "%n", time, &n[0], &n[1], &n[2],
               &q.offset, &n[3], &q.verifier, &used) < 7 ||
        (n[0] | n[1] | n[2]) > UINT32_MAX || n[3] > NX_DISK_LONGEST)
        return NULL;
    *host = (unsigned)n[0];
    q.operation = (unsigned)n[1];
    q.flags = (unsigned)n[2];
    q.length = (uint32_t)n[3];
    line += used;
    if (q.operation == NX_DISK_WRITE && *line++ != ' ') return NULL;
    if (strcspn(line, "\n") != (q.operation == NX_DISK_WRITE ? 2 * (size_t)q.length : 0)) return NULL;
    if (!(q.data = calloc(1, q.length + 1u)) || !(r = malloc(sizeof *r))) return free(q.data), NULL;
    *r = q;
    for (uint32_t i = 0; i < q.length && q.operation == NX_DISK_WRITE; i++) {
        const int high = hex(line[2 * i]), low = hex(line[2 * i + 1]);
        if (high < 0 || low < 0) {
            ended(NULL, r);
            return NULL;
        }
        ((uint8_t *)q.data)[i] = (uint8_t)(high << 4 | low);
    }
    return r;
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

/* All lines: looks at them, or runs them. 0; 1 and 130 as disk_service_replay; -1: the record is not whole, or not one. */
static int go_through(disk_service *s, FILE *f, int run, const char *path, char error[DISK_SERVICE_ERROR])
{
    char *line = NULL;
    size_t room = 0;
    ssize_t got;
    unsigned number = 1, host = 0;
    int result = 0, whole = 0;
    sim_time time, last = sim_now(s->f->s);
    rewind(f);
    if (getline(&line, &room, f) < 0 || strcmp(line, RECORD_BEGIN)) {
        snprintf(error, DISK_SERVICE_ERROR, "replay %s: expected a record of this version, which begins with %s", path, RECORD_BEGIN);
        result = -1;
    }
    while (!result && (got = getline(&line, &room, f)) > 0) {
        char word[8] = "";
        int used = 0;
        number++;
        if (line[got - 1] != '\n') break;
        const int mark = sscanf(line, "%" SCNu64 " %7[a-z]%n", &time, word, &used) == 2 && used == got - 1;
        const int end = mark && !strcmp(word, RECORD_END), stop = mark && !strcmp(word, RECORD_STOP);
        disk_request *r = end || stop ? NULL : parse(line, &time, &host);
        if (whole || (r ? !host || host >= s->nodes || time < last : !end && !stop)) {
            snprintf(error, DISK_SERVICE_ERROR, "replay %s: line %u: expected a request of host 1..%u, not before the one above", path,
                     number, s->nodes - 1);
            result = -1;
        } else if (run) result = run_until(s, time);
        whole = end;
        if (r) last = time;
        if (r && run && !result) disk_service_submit(s, host, r);
        else if (r) ended(NULL, r);
        else if (stop && run && !result) disk_stop(s);
    }
    if (!result && !whole) {
        snprintf(error, DISK_SERVICE_ERROR, "replay %s: it ends after line %u; expected a whole record, with %s in its last line", path,
                 number, RECORD_END);
        result = -1;
    }
    free(line);
    return result;
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
