#include "sim/app/disk/disk_options.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAKE = 1 /* of an option: it is also a variable of make */ };

#define WHOLE(field) OPTION_WHOLE(disk_options, field)
#define TEXT(field) OPTION_TEXT(disk_options, field)

/* clang-format off */
const option disk_options_table[] = {
    {.help = "The disk:"},
    {"image", "FILE", MAKE, TEXT(image), 0, 0, NULL,
        "file that host 0 serves, a multiple of 512 bytes; read-only if it cannot be written (default: a file of 64 MiB in OUT)"},
    {"cache", "KIND", MAKE, OPTION_CHOICE(disk_options, cache), 0, 0, "writeback or writethrough",
        "writeback (default): written data are in the file after a flush or FUA; writethrough: before the answer"},
    {"disk", "US,MIB", MAKE, TEXT(disk), 0, 0, NULL, "simulated latency [us] and rate [MiB/s] of the disk, 0: none (default 0,0)"},
    {.help = "Hosts:"},
    {"nodes", "N", 0, WHOLE(nodes), 2, 4, "2 to 4, the ports of the switch", "host 0 and N-1 initiators (default 2)"},
    {"poll", "0|1", MAKE, WHOLE(poll), 0, 1, "0 or 1", "1: software polls its memory instead of waiting for interrupts"},
    {"queues", "KIND", MAKE, OPTION_CHOICE(disk_options, queues), 0, 0, "pending or pointers",
        "pending (default): S4's pending flags; pointers: queue heads and tails written over the wire"},
    {"host-cost", "NS,NS", MAKE, TEXT(host_cost), 0, 0, NULL,
        "simulated time of host software for an interrupt and for a request [ns] (default 0,0)"},
    {.help = "Clients:"},
    {"run", "COMMAND", MAKE, TEXT(run), 0, 0, NULL,
        "shell command, with $uri, and $uri1 ... of all initiators; the run ends with it and has its exit code (default: until Ctrl-C)"},
    {"port", "N", MAKE, WHOLE(port), 1, 65535, "a port, 1 to 65535", "port at 127.0.0.1 instead of a Unix socket"},
    {"record", "FILE", MAKE, TEXT(record), 0, 0, NULL, "file of all requests with their simulated times (default disk.record in OUT)"},
    {"replay", "FILE", MAKE, TEXT(replay), 0, 0, NULL, "repeat a recorded run, bit for bit, without clients"},
    {.help = "The run:"},
    {"faults", "PLAN", MAKE, TEXT(faults), 0, 0, NULL,
        "faults by plan, from the start of service: 'cut host1 at 3ms for 50us; crash target at 8ms'; make help faults"},
    {"out", "FOLDER", 0, TEXT(out), 0, 0, NULL, "folder of socket, record and disk.json (default build)"},
    RUN_SEED(0, disk_options, seed),
    {"threads", "N", 0, WHOLE(threads), 0, 16, "a number", "threads; 0: the fastest number (default 0)"},
    RUN_WAVES(0, disk_options),
    RUN_WAVE_SCOPES(0, disk_options, "node1, xbar"),
    RUN_HELP(disk_options),
    {0},
};
/* clang-format on */

/* "A,B", neither above `most`. */
static int get_two(const char *text, double most, double *a, double *b)
{
    char first[40];
    const char *comma = strchr(text, ',');
    if (!comma || comma - text >= (int)sizeof first) return -1;
    memcpy(first, text, (size_t)(comma - text));
    first[comma - text] = '\0';
    return option_get_real(first, 0, most, a) && option_get_real(comma + 1, 0, most, b) ? 0 : -1;
}

int disk_options_read(disk_options *o, int argc, char **argv, char error[OPTION_ERROR])
{
    fault_plan plan;
    *o = (disk_options){.queues = "pending",
                        .cache = "writeback",
                        .disk = "0,0",
                        .host_cost = "0,0",
                        .out = "build",
                        .nodes = 2,
                        .seed = 1};
    if (option_arguments(disk_options_table, o, argc, argv, error)) return -1;
    if (o->help) return 0;
    if (o->replay && (o->run || o->port || o->record))
        return option_complain(error, "replay", o->replay, "no run, port or record with it");
    if (get_two(o->disk, 1e6, &o->disk_us, &o->disk_rate))
        return option_complain(error, "disk", o->disk, "latency [us] and rate [MiB/s], such as 100,200, or 0,0");
    if (get_two(o->host_cost, 1e9, &o->interrupt_ns, &o->request_ns))
        return option_complain(error, "host-cost", o->host_cost,
                               "nanoseconds of an interrupt and of a request, such as 5000,1000");
    if (fault_plan_asked(&fault_disk, o->faults, o->nodes, &plan, error)) return -1;
    disk_fault_take(&plan, &o->plan);
    return 0;
}

/* ---- existing files and ports ---- */

/* "name value: text" into error; -1. */
static int __attribute__((format(printf, 4, 5)))
say(char *error, const char *name, const char *value, const char *format, ...)
{
    int n = snprintf(error, OPTION_ERROR, "%s %.80s: ", name, value);
    va_list list;
    va_start(list, format);
    vsnprintf(error + n, (size_t)(OPTION_ERROR - n), format, list);
    va_end(list);
    return -1;
}

static int image_here(const char *path, char *error)
{
    struct stat st;
    if (stat(path, &st)) return say(error, "image", path, "no such file; expected one, such as truncate -s 64M makes");
    if (!S_ISREG(st.st_mode)) return say(error, "image", path, "expected a regular file");
    if (access(path, R_OK)) return say(error, "image", path, "it cannot be read; expected a file that can");
    if (st.st_size <= 0 || st.st_size % 512 || st.st_size > (off_t)1 << 48)
        return say(error, "image", path, "%lld bytes; expected a multiple of 512, more than 0, at most 2^48",
                   (long long)st.st_size);
    return 0;
}

static int replay_here(const char *path, char *error)
{
    static const char begin[] = RECORD_BEGIN;
    char first[sizeof begin] = "", last[5] = "";
    struct stat st;
    FILE *f = stat(path, &st) || !S_ISREG(st.st_mode) ? NULL : fopen(path, "r");
    if (!f) return say(error, "replay", path, "expected a record that can be read");
    size_t got = fread(first, 1, sizeof begin - 1, f);
    int whole = !fseek(f, -4, SEEK_END) && fread(last, 1, 4, f) == 4 && !strcmp(last, "end\n");
    fclose(f);
    if (got < sizeof begin - 1 || strcmp(first, begin))
        return say(error, "replay", path, "expected a record of this version, which begins with %.*s",
                   (int)sizeof begin - 2, begin);
    return whole ? 0 : say(error, "replay", path, "it is not whole; expected a last line end");
}

static int record_here(const char *path, char *error)
{
    char folder[PATH_MAX];
    struct stat st;
    snprintf(folder, sizeof folder, "%s", path);
    int good = (stat(path, &st) || !S_ISDIR(st.st_mode)) && !access(dirname(folder), W_OK);
    return good ? 0 : say(error, "record", path, "expected a file that can be written");
}

/* Exit code of a command; its output is discarded. */
static int run_quietly(char *const words[])
{
    int code = -1;
    pid_t child = fork();
    if (!child) {
        if (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout)) _exit(1);
        execvp(words[0], words);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &code, 0) < 0) return -1;
    return code;
}

static int run_here(const char *run, char *error)
{
    char word[256], check[300];
    size_t n = strspn(run, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+-");
    char *const syntax[] = {"sh", "-n", "-c", (char *)run, NULL};
    char *const known[] = {"sh", "-c", check, NULL};
    if (run_quietly(syntax)) return say(error, "run", run, "expected a command that sh understands");
    if (!n || n >= sizeof word || (run[n] && run[n] != ' ')) return 0;
    snprintf(word, sizeof word, "%.*s", (int)n, run);
    snprintf(check, sizeof check, "command -v -- '%s'", word);
    return run_quietly(known) ? say(error, "run", run, "there is no command %s", word) : 0;
}

static int port_here(unsigned port, char *error)
{
    char text[16];
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int one = 1, s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    int used = bind(s, (struct sockaddr *)&at, sizeof at) && errno == EADDRINUSE;
    close(s);
    snprintf(text, sizeof text, "%u", port);
    return used ? say(error, "port", text, "in use; expected a port of 127.0.0.1 that is free") : 0;
}

static int socket_here(const char *out, char *error)
{
    char path[PATH_MAX + 20], folder[PATH_MAX];
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(path, sizeof path, "%s/disk.sock", realpath(out, folder) ? folder : out);
    if (strlen(path) >= sizeof at.sun_path) {
        snprintf(
            error, OPTION_ERROR,
            "%.200s: expected a path of less than 108 characters for a socket; OUT=folder puts it into another one",
            path);
        return -1;
    }
    strcpy(at.sun_path, path);
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), used = !connect(s, (struct sockaddr *)&at, sizeof at);
    close(s);
    if (used)
        snprintf(error, OPTION_ERROR, "%.200s: in use by another make disk; OUT=folder gives this one its own", path);
    return used ? -1 : 0;
}

int disk_options_here(const disk_options *o, char error[OPTION_ERROR])
{
    if (o->image && image_here(o->image, error)) return -1;
    if (o->replay && replay_here(o->replay, error)) return -1;
    if (o->record && record_here(o->record, error)) return -1;
    if (o->run && run_here(o->run, error)) return -1;
    if (o->port) return port_here(o->port, error);
    return o->replay ? 0 : socket_here(o->out, error);
}
