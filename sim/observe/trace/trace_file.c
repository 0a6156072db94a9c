/* The manual is in the header. The format: "Trace Event Format", Google, 2016. */
#include "sim/observe/trace/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 1 << 18 /* [bytes] written at once */, EVENT = 1024 /* longest */, PAGE = 4096, NAME = 200 };

struct trace_file {
    int fd, error; /* errno of the first write that failed */
    uint64_t events;
    off_t written;
    size_t used;
    char room[ROOM + 2 * EVENT];
};

/* So much has been written: back to the end of the last whole event. Between two events stands ",\n", which belongs to
 * the second one. */
static void cut(trace_file *f, size_t done)
{
    while (done && f->room[done] != '\n') done--;
    for (size_t i = done; i < f->used; i++) f->events -= f->room[i] == '\n';
    f->written += (off_t)(done && f->room[done - 1] == ',' ? done - 1 : done);
    if (!ftruncate(f->fd, f->written)) lseek(f->fd, f->written, SEEK_SET);
}

static void flush(trace_file *f)
{
    size_t done = 0;
    while (!f->error && done < f->used) {
        ssize_t n = write(f->fd, f->room + done, f->used - done);
        if (n > 0) done += (size_t)n;
        else if (errno != EINTR) f->error = n ? errno : EIO;
    }
    if (f->error && f->used) cut(f, done);
    else f->written += (off_t)done;
    f->used = 0;
}

/* SIGKILL ends a write between two pages of the file, so there an event ends: one that would reach into the next page
 * begins with it. */
static void __attribute__((format(printf, 2, 3))) event(trace_file *f, const char *format, ...)
{
    if (f->error) return;
    va_list list;
    char *at = f->room + f->used;
    size_t left = PAGE - ((size_t)f->written + f->used) % PAGE, length = 0;
    if (f->events++) at[length++] = ',';
    at[length++] = '\n';
    va_start(list, format);
    length += (size_t)vsnprintf(at + length, EVENT - 2, format, list);
    va_end(list);
    if (length > left) {
        memmove(at + left, at, length);
        memset(at, ' ', left);
        f->used += left;
    }
    f->used += length;
    if (f->used >= ROOM) flush(f);
}

/* A name as JSON has it; a long one is cut. */
static const char *quoted(const char *name, char text[2 * NAME])
{
    char *to = text;
    for (const char *from = name; *from && from < name + NAME - 1; from++) {
        if (*from == '"' || *from == '\\') *to++ = '\\';
        *to++ = *from < ' ' ? '?' : *from;
    }
    *to = '\0';
    return text;
}

#define TIME "%" PRIu64 ".%03" PRIu64 /* us */
#define TIME_OF(ps) (ps) / SIM_US, (ps) / SIM_NS % 1000
#define ARGS "%s%s%s"
#define ARGS_OF(args) (args) ? ",\"args\":{" : "", (args) ? (args) : "", (args) ? "}" : ""

trace_file *trace_file_new(const char *path)
{
    trace_file *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (f->fd < 0) {
        free(f);
        return NULL;
    }
    f->room[f->used++] = '[';
    return f;
}

int trace_file_close(trace_file *f, trace_file_counts *all)
{
    static const char end[] = "\n]\n";
    if (!f) return 0;
    flush(f);
    ssize_t n =
        write(f->fd, end, sizeof end - 1); /* on a full disk there may be room for it, where an event was cut off */
    if (n > 0) f->written += n;
    else if (!f->error) f->error = n ? errno : EIO;
    *all = (trace_file_counts){f->events, (uint64_t)f->written};
    int error = f->error;
    if (close(f->fd) && !error) error = errno;
    free(f);
    errno = error;
    return error ? -1 : 0;
}

trace_file_counts trace_file_count(const trace_file *f)
{
    return (trace_file_counts){f->events, (uint64_t)f->written + f->used};
}

int trace_file_failed(const trace_file *f) { return f->error != 0; }

void trace_file_process(trace_file *f, unsigned process, const char *name)
{
    char text[2 * NAME];
    event(f, "{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}}", process,
          quoted(name, text));
    event(f, "{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%u}}", process,
          process);
}

void trace_file_track(trace_file *f, unsigned process, unsigned track, const char *name)
{
    char text[2 * NAME];
    event(f, "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}}", process, track,
          quoted(name, text));
    event(f, "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%u}}",
          process, track, track);
}

void trace_file_slice(trace_file *f, unsigned process, unsigned track, sim_time begin, sim_time end, const char *name,
                      const char *args)
{
    char text[2 * NAME];
    sim_time ns = end / SIM_NS - begin / SIM_NS;
    event(f, "{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":" TIME ",\"dur\":" TIME ",\"name\":\"%s\"" ARGS "}", process,
          track, TIME_OF(begin), TIME_OF(ns * SIM_NS), quoted(name, text), ARGS_OF(args));
}

void trace_file_arrow(trace_file *f, char part, unsigned process, unsigned track, sim_time at, uint64_t id)
{
    event(f,
          "{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u,\"ts\":" TIME ",\"id\":%" PRIu64 ",\"cat\":\"way\",\"name\":\"way\"%s}",
          part, process, track, TIME_OF(at), id, part == 's' ? "" : ",\"bp\":\"e\"");
}

void trace_file_span(trace_file *f, char part, unsigned process, sim_time at, uint64_t id, const char *name,
                     const char *args)
{
    char text[2 * NAME];
    event(f,
          "{\"ph\":\"%c\",\"pid\":%u,\"tid\":1,\"ts\":" TIME ",\"id\":%" PRIu64 ",\"cat\":\"life\",\"name\":\"%s\"" ARGS
          "}",
          part, process, TIME_OF(at), id, quoted(name, text), ARGS_OF(args));
}

void trace_file_values(trace_file *f, unsigned process, sim_time at, const char *name, const char *args)
{
    char text[2 * NAME];
    event(f, "{\"ph\":\"C\",\"pid\":%u,\"ts\":" TIME ",\"name\":\"%s\"" ARGS "}", process, TIME_OF(at),
          quoted(name, text), ARGS_OF(args));
}
