#include "sim/app/disk/disk_program.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/app/disk/disk_private.h"
#include "sim/app/disk/disk_server.h"
#include "sim/core/kernel/results.h"

enum { DEFAULT_IMAGE = 64 << 20, PATH_BYTES = PATH_MAX + 20 };

static int refuse(const char *text)
{
    fprintf(stderr, "disk: %s\n", text);
    return 2;
}

static int wrong(const char *name, const char *value, const char *expected)
{
    char error[OPTION_ERROR];
    option_complain(error, name, value, expected);
    return refuse(error);
}

/* The file in the folder for results. */
static const char *in_out(const disk_options *o, const char *name, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/%s", o->out, name);
    return path;
}

static void get_params(const disk_options *o, const sim_config *chip, disk_service_params *p)
{
    *p = disk_service_params_default(o->nodes, chip);
    p->fabric.sim.seed = o->seed;
    p->fabric.sim.waves = o->waves;
    p->fabric.sim.waves_scopes = o->wave_scopes;
    p->image = o->image;
    p->cache = !strcmp(o->cache, "writethrough") ? DISK_WRITETHROUGH : DISK_WRITEBACK;
    p->block.poll = (int)o->poll;
    p->block.pointers = !strcmp(o->queues, "pointers");
    p->threads = o->threads;
    p->record = o->record;
    p->disk_latency = (sim_time)(o->disk_us * SIM_US);
    p->disk_mib_per_s = o->disk_rate;
    p->block.timeout_ns += (uint64_t)(1000 * o->disk_us); /* a slow disk is no silence */
    p->interrupt_cost = (sim_time)(o->interrupt_ns * SIM_NS);
    p->request_cost = (sim_time)(o->request_ns * SIM_NS);
    p->faults = o->plan;
}

/* Default image: reused if it exists, else created sparse. */
static int default_image(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    int failed = fd < 0 || fstat(fd, &st) || (st.st_size != DEFAULT_IMAGE && ftruncate(fd, DEFAULT_IMAGE));
    if (failed) fprintf(stderr, "disk: image %s: %s\n", path, strerror(errno));
    if (fd >= 0) close(fd);
    return failed ? -1 : 0;
}

static int readable(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, R_OK);
}

/* The same options again, with the requests of this run. */
static void print_again(const disk_options *o)
{
    fprintf(stderr, "again: make disk IMAGE='%s' NODES=%u SEED=%llu REPLAY='%s'", o->image, o->nodes,
            (unsigned long long)o->seed, o->replay ? o->replay : o->record);
    if (o->poll) fputs(" POLL=1", stderr);
    if (strcmp(o->queues, "pending")) fprintf(stderr, " QUEUES=%s", o->queues);
    if (strcmp(o->cache, "writeback")) fprintf(stderr, " CACHE=%s", o->cache);
    if (strcmp(o->disk, "0,0")) fprintf(stderr, " DISK=%s", o->disk);
    if (strcmp(o->host_cost, "0,0")) fprintf(stderr, " HOST_COST=%s", o->host_cost);
    if (o->faults) fprintf(stderr, " FAULTS='%s'", o->faults);
    fputs(" WAVES=1\n", stderr);
}

/* Compares counts of the NICs. 0, or -1: data bypassed them. */
static int count_words(disk_service *s, json_t *all)
{
    char error[DISK_SERVICE_ERROR];
    disk_words w = {{0}, {0}};
    json_t *hosts = json_array();
    const int result = disk_words_get(s, &w, error);
    for (unsigned i = 0; i < s->nodes; i++) {
        printf("%shost %u %llu, %llu", i ? "; " : "64-bit words out and in by the counters of the NICs: ", i,
               (unsigned long long)w.out[i], (unsigned long long)w.in[i]);
        json_array_append_new(hosts, json_pack("{s:I, s:I}", "out", (json_int_t)w.out[i], "in", (json_int_t)w.in[i]));
    }
    puts("");
    json_object_set_new(all, "nic_words", hosts);
    if (result) refuse(error);
    return result;
}

/* The last line: the verdict and the folder of the files. */
static void conclude(const disk_options *o, int code, const char *failed, const char *json)
{
    if (failed) printf("BAD: %s, see above; ", failed);
    else if (code == 130) printf("INTERRUPTED: all that was written is in %s; ", o->image);
    else if (code) printf("RUN has ended: code %d; ", code);
    else fputs("GOOD: ", stdout);
    printf("results in %s%s%s\n", json, o->waves ? ", waves in " : "", o->waves ? o->waves : "");
    fflush(stdout);
}

static int serve(const disk_options *o, disk_service_params *p, disk_server *server, const char *json)
{
    char error[DISK_SERVICE_ERROR];
    const char *failed = NULL;
    disk_service *s = disk_service_new(p, error);
    int code;
    if (!s) return refuse(error), 1;
    printf("%s: %.1f MiB, %shost 0 serves it\n", o->image, (double)disk_service_disk(s)->bytes / 1048576,
           p->read_only ? "read-only (the file cannot be written), " : "");
    if (o->replay) {
        code = disk_service_replay(s, o->replay, error);
        if (code < 0) refuse(error), code = 2, failed = "the record";
    } else code = disk_server_serve(server, s);
    const int simulated = !*sim_error(s->f->s);
    const int recorded = !disk_record_end(s), synced = !disk_service_sync(s);
    disk_service_report(s, stdout);
    json_t *all = disk_service_json(s);
    if (simulated && count_words(s, all))
        failed = "the counters of the NICs do not say that all data went through them";
    if (!synced && disk_store_dirty(s->store))
        fprintf(stderr, "disk: %llu bytes that clients have written are not in %s\n",
                (unsigned long long)disk_store_dirty(s->store), o->image);
    if (results_write(all, json)) failed = "results are not saved";
    if (!recorded) failed = "the record is not whole";
    if (!synced) failed = "the image differs from the data written";
    if (disk_server_died(server)) failed = "nbdkit has ended";
    if (sim_waves_missing(s->f->s)) failed = "no waves are recorded";
    if (!simulated) failed = "the simulation has failed";
    if (failed && !code) code = 1;
    fflush(stdout);
    disk_service_free(s); /* the record is whole */
    if (code && code != 130 && (!o->replay || !simulated)) print_again(o);
    conclude(o, code, failed, json);
    return code;
}

int disk_program(int argc, char **argv, const sim_config *two, const sim_config *four)
{
    disk_options o;
    char error[OPTION_ERROR + DISK_SERVICE_ERROR];
    static char image[PATH_BYTES], socket[PATH_BYTES], record[PATH_BYTES], json[PATH_BYTES];
    disk_service_params p;
    disk_server *server = NULL;
    int code;
    if (disk_options_read(&o, argc, argv, error)) return refuse(error);
    if (o.help) {
        option_help_table(disk_options_table, DISK_OPTIONS_HEAD, stdout);
        return 0;
    }
    if (o.replay && !readable(o.replay)) return wrong("replay", o.replay, "a record that can be read");
    if (!o.replay && !o.record) o.record = in_out(&o, "disk.record", record);
    const char *given = o.image;
    if (!given) o.image = in_out(&o, "disk.img", image);
    get_params(&o, o.nodes > 2 ? four : two, &p);
    if (!o.replay) {
        const disk_server_params server_params = {
            .socket = in_out(&o, "disk.sock", socket), .port = o.port, .run = o.run};
        if (!(server = disk_server_new(&server_params, error))) return refuse(error);
    }
    char *results = results_claim(in_out(&o, "disk.json", json));
    if (!results || (!given && default_image(o.image))) code = 1;
    else code = serve(&o, &p, server, results);
    free(results);
    disk_server_free(server);
    return code;
}
