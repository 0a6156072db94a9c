/* Requests with their times of arrival, and the same run again. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "block_private.h"

void block_record(block_service *s, unsigned host, const block_request *r)
{
    if (!s->record) return;
    fprintf(s->record, "%" PRIu64 " %u %u %u %" PRIu64 " %" PRIu32, sim_now(s->f->s), host, r->operation, r->flags, r->offset, r->length);
    if (r->operation == NX_BLOCK_WRITE) {
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

void block_record_mark(block_service *s, sim_time when, const char *what)
{
    if (s->record) fprintf(s->record, "%" PRIu64 " %s\n", when, what);
}

int block_record_end(block_service *s)
{
    FILE *f = s->record;
    if (!f) return 0;
    block_record_mark(s, s->ended, RECORD_END);
    s->record = NULL;
    const int failed = ferror(f);
    if (!fclose(f) && !failed) return 0;
    fprintf(stderr, "block: record %s: it could not be written to its end\n", s->p.record);
    return -1;
}

static void ended(void *self, block_request *r)
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
static block_request *parse(const char *line, sim_time *time, unsigned *host)
{
    block_request q = {.done = ended}, *r;
    int used = 0;
    if (sscanf(line, "%" SCNu64 " %u %u %u %" SCNu64 " %" SCNu32 "%n", time, host, &q.operation, &q.flags, &q.offset, &q.length, &used) <
            6 ||
        q.length > NX_BLOCK_LONGEST)
        return NULL;
    if (!(q.data = calloc(1, q.length + 1u)) || !(r = malloc(sizeof *r))) return free(q.data), NULL;
    *r = q;
    if (q.operation != NX_BLOCK_WRITE) return r;
    line += used + 1;
    for (uint32_t i = 0; i < q.length; i++) {
        const int high = line[2 * i] ? hex(line[2 * i]) : -1, low = high < 0 ? -1 : hex(line[2 * i + 1]);
        if (low < 0) {
            ended(NULL, r);
            return NULL;
        }
        ((uint8_t *)q.data)[i] = (uint8_t)(high << 4 | low);
    }
    return r;
}

/* Up to this moment, exactly; 130: Ctrl-C has come before it. */
static int run_until(block_service *s, sim_time time)
{
    while (sim_now(s->f->s) < time) {
        const sim_time next = sim_now(s->f->s) + 20 * SIM_US;
        if (block_slice(s, next < time ? next : time)) return 1;
        block_deliver(s);
        if (block_interrupted(s)) return 130;
    }
    return 0;
}

static int run_to_the_end(block_service *s)
{
    while (block_active(s)) {
        if (block_slice(s, sim_now(s->f->s) + 4 * SIM_US)) return 1;
        block_deliver(s);
        (void)block_interrupted(s);
    }
    return s->interrupted ? 130 : 0;
}

static int replay(block_service *s, FILE *f, const char *path, char error[BLOCK_SERVICE_ERROR])
{
    char *line = NULL;
    size_t room = 0;
    unsigned number = 1, host;
    int result = -1, whole = 0;
    sim_time time;
    if (getline(&line, &room, f) < 0 || strcmp(line, RECORD_BEGIN))
        snprintf(error, BLOCK_SERVICE_ERROR, "replay %s: expected a record of this version, which begins with %s", path, RECORD_BEGIN);
    else
        for (result = 0; !result && !whole && getline(&line, &room, f) > 0;) {
            char word[8] = "";
            number++;
            sscanf(line, "%" SCNu64 " %7[a-z]", &time, word);
            const int end = !strcmp(word, RECORD_END), mark = end || !strcmp(word, RECORD_STOP);
            block_request *r = mark ? NULL : parse(line, &time, &host);
            if (!mark && (!r || !host || host >= s->nodes || time < sim_now(s->f->s))) {
                snprintf(error, BLOCK_SERVICE_ERROR, "replay %s: line %u: expected a request of host 1..%u, not before the one above", path,
                         number, s->nodes - 1);
                if (r) ended(NULL, r);
                result = -1;
            } else if ((result = run_until(s, time))) {
                if (r) ended(NULL, r);
            } else if (r) block_service_submit(s, host, r);
            else if (end) whole = 1;
            else block_stop(s);
        }
    if (!result && !whole) {
        snprintf(error, BLOCK_SERVICE_ERROR, "replay %s: it ends after line %u; expected a whole record, with %s in its last line", path,
                 number, RECORD_END);
        result = -1;
    }
    free(line);
    const int end = run_to_the_end(s);
    return end ? end : result;
}

int block_service_replay(block_service *s, const char *path, char error[BLOCK_SERVICE_ERROR])
{
    FILE *f = fopen(path, "r");
    *error = '\0';
    if (!f) {
        snprintf(error, BLOCK_SERVICE_ERROR, "replay %s: %s", path, strerror(errno));
        return -1;
    }
    int result = replay(s, f, path, error);
    fclose(f);
    return result;
}
