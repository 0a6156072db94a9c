/* Lines of a record as requests. */
#include "sim/app/disk/disk_record.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nx_disk.h"

static void ended(void *self, disk_request *r)
{
    (void)self;
    free(r->data);
    free(r);
}

static int hex(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

/* A number in decimal behind *at and a blank behind it, unless it is the last one; 0: there is none. */
static int number(const char **at, uint64_t most, uint64_t *value)
{
    char *end;
    if (!isdigit((unsigned char)**at)) return 0;
    errno = 0;
    *value = strtoull(*at, &end, 10);
    *at = end + (*end == ' ');
    return !errno && *value <= most;
}

/* What is behind the time as a request; NULL: it is none. */
static disk_request *parse(const char *at, unsigned *host)
{
    disk_request q = {.done = ended}, *r;
    uint64_t n[4]; /* host, operation, flags, length */
    if (!number(&at, UINT32_MAX, &n[0]) || !number(&at, UINT32_MAX, &n[1]) || !number(&at, UINT32_MAX, &n[2]) ||
        !number(&at, UINT64_MAX, &q.offset) || !number(&at, NX_DISK_LONGEST, &n[3]) ||
        !number(&at, UINT64_MAX, &q.verifier))
        return NULL;
    *host = (unsigned)n[0];
    q.operation = (unsigned)n[1];
    q.flags = (unsigned)n[2];
    q.length = (uint32_t)n[3];
    const size_t digits = q.operation == NX_DISK_WRITE ? 2 * (size_t)q.length : 0;
    if (strcspn(at, "\n") != digits || (at[-1] == ' ') != (q.operation == NX_DISK_WRITE)) return NULL;
    if (!(q.data = calloc(1, q.length + 1u)) || !(r = malloc(sizeof *r))) return free(q.data), NULL;
    *r = q;
    for (size_t i = 0; i < digits / 2; i++) {
        const int high = hex(at[2 * i]), low = hex(at[2 * i + 1]);
        if (high < 0 || low < 0) {
            ended(NULL, r);
            return NULL;
        }
        ((uint8_t *)q.data)[i] = (uint8_t)(high << 4 | low);
    }
    return r;
}

int disk_record_next(disk_record_reader *d, char error[DISK_RECORD_ERROR])
{
    ssize_t got = getline(&d->line, &d->room, d->file);
    if (!d->number++) {
        if (got < 0 || strcmp(d->line, RECORD_BEGIN))
            return snprintf(error, DISK_RECORD_ERROR,
                            "replay %s: expected a record of this version, which begins with %.*s", d->path,
                            (int)strlen(RECORD_BEGIN) - 1, RECORD_BEGIN),
                   -1;
        got = getline(&d->line, &d->room, d->file);
        d->number++;
    }
    if (got <= 0 && d->end) return 0;
    if (got <= 0 || d->line[got - 1] != '\n')
        return snprintf(error, DISK_RECORD_ERROR,
                        "replay %s: it ends after line %u; expected a whole record, with %s in its last line", d->path,
                        d->number - (got <= 0), RECORD_END),
               -1;
    const char *at = d->line;
    const sim_time last = d->time;
    const int timed = strlen(d->line) == (size_t)got && number(&at, UINT64_MAX, &d->time), over = d->end;
    d->end = timed && !strcmp(at, RECORD_END "\n");
    d->stop = timed && !strcmp(at, RECORD_STOP "\n");
    d->request = !timed || d->end || d->stop ? NULL : parse(at, &d->host);
    if (timed && !over && d->time >= last && (d->request ? d->host && d->host < d->nodes : d->end || d->stop)) return 1;
    if (d->request) ended(NULL, d->request);
    return snprintf(error, DISK_RECORD_ERROR,
                    "replay %s: line %u: expected a request of host 1..%u, not before the one above", d->path,
                    d->number, d->nodes - 1),
           -1;
}
