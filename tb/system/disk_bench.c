#include "disk_bench.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "crossbar2.h"
#include "crossbar4.h"
#include "shell.h"
#include "sim/system/nodes/fabric_space.h"
#include "test.h"

/* Records of all 8 lanes of a NIC, and once more for a record that is lost itself. */
static const sim_time REPAIR = 2 * 8 * 2048 * 12800;

disk_bench disk;

CLEANUP(disk_service_free);

static void forget(void *what)
{
    (void)what;
    disk = (disk_bench){.s = NULL};
}

disk_service_params disk_params(unsigned nodes)
{
    disk_service_params p = disk_service_params_default(nodes, nodes > 2 ? &crossbar4_config : &crossbar2_config);
    p.fabric.sim.quiet = 1;
    p.image = disk.image;
    p.block.place_bytes = 16384;
    if (!*disk.image) {
        snprintf(disk.image, sizeof disk.image, "%s/disk", shell_folder());
        fclose(shell_file("disk", "w+"));
        ck_assert_int_eq(truncate(disk.image, DISK_BYTES), 0);
        after_test(forget, NULL);
    }
    return p;
}

void disk_serve(disk_service_params p)
{
    char error[DISK_SERVICE_ERROR];
    disk.s = disk_service_new(&p, error);
    ck_assert_msg(disk.s != NULL, "%s", error);
    after_test(disk_service_free_cleanup, disk.s);
}

/* ---- requests ---- */

static void done(void *self, disk_request *r)
{
    uint64_t *known = self;
    if (r->verifier > *known) *known = r->verifier;
    disk.ended++;
}

void disk_look(void *self)
{
    disk_bench *d = &disk;
    (void)self;
    while (d->submitted < d->wanted && d->submitted - d->ended < d->depth &&
           disk_service_room(d->s, d->host_of[d->submitted])) {
        d->asked[d->submitted].done = done;
        d->asked[d->submitted].self = &d->verifier[d->host_of[d->submitted]];
        d->asked[d->submitted].verifier = d->verifier[d->host_of[d->submitted]];
        disk_service_submit(d->s, d->host_of[d->submitted], &d->asked[d->submitted]);
        d->submitted++;
    }
}

void disk_ask(unsigned host, unsigned operation, uint64_t offset, uint32_t length, void *data)
{
    ck_assert_uint_lt(disk.wanted, DISK_ASKED);
    disk.host_of[disk.wanted] = host;
    disk.asked[disk.wanted++] =
        (disk_request){.operation = operation, .offset = offset, .length = length, .data = data};
}

void disk_answer(unsigned at_a_time)
{
    disk.depth = at_a_time;
    disk.submitted = disk.ended = 0;
    ck_assert_msg(!disk_service_serve(disk.s, -1, disk_look, NULL), "%s", sim_error(disk.s->f->s));
    ck_assert_uint_eq(disk.ended, disk.wanted);
    disk.wanted = 0;
}

unsigned disk_do(unsigned host, unsigned operation, unsigned flags, uint64_t offset, uint32_t length, void *data)
{
    disk_ask(host, operation, offset, length, data);
    disk.asked[0].flags = flags;
    disk_answer(1);
    return disk.asked[0].status;
}

void disk_read_image(void)
{
    int fd = open(disk.image, O_RDONLY);
    ck_assert_int_eq(pread(fd, disk.file, DISK_BYTES, 0), DISK_BYTES);
    close(fd);
}

nx_disk_counts disk_counts(unsigned host) { return nx_disk_get_counts(disk.s->seat[host].disk); }

void disk_step(sim_time time)
{
    ck_assert_msg(!disk_slice(disk.s, sim_now(disk.s->f->s) + time), "%s", sim_error(disk.s->f->s));
    disk_deliver(disk.s);
}

/* ---- buffer space ---- */

struct settling {
    int settled, over;
    char text[200];
};

static void settle(void *arg)
{
    struct settling *x = arg;
    x->settled = fabric_settle(disk.s->f, REPAIR, NULL, x->text, sizeof x->text);
    x->over = 1;
}

void disk_settles(void)
{
    struct settling x = {0};
    const sim_time limit = sim_now(disk.s->f->s) + 2 * REPAIR;
    sim_task_new(disk.s->f->s, "settling", settle, &x);
    while (!x.over && sim_now(disk.s->f->s) < limit)
        ck_assert_msg(!disk_slice(disk.s, sim_now(disk.s->f->s) + 4 * SIM_US), "%s", sim_error(disk.s->f->s));
    ck_assert_msg(x.over && x.settled, "buffer space is not whole again: %s",
                  x.over ? x.text : "registers do not answer");
}

void disk_must_serve(void)
{
    static uint8_t data[512];
    for (unsigned i = 1; i < disk.s->nodes; i++) {
        memset(data, (int)i, sizeof data);
        ck_assert_uint_eq(disk_do(i, NX_DISK_WRITE, NX_DISK_FUA, DISK_BYTES - 512 * i, 512, data), NX_DISK_OK);
        disk_read_image();
        ck_assert(!memcmp(disk.file + DISK_BYTES - 512 * i, data, 512));
    }
}

void disk_must_be_well(void)
{
    disk_settles();
    ck_assert(!disk_active(disk.s));
    disk_must_serve();
}
