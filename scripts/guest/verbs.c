/* verbs: queue pairs of Linux, worked by somebody outside. It runs in the guest (scripts/guest.py) and does what
 * datagrams tell it, one command in each, one answer to each (sim/app/roce/linux/roce_verbs.h is the other side).
 * Numbers are hexadecimal. The memory that it works with is a region of REGION bytes, which is registered twice: with
 * all rights, and with none for the other end. AT is an offset in it.
 *
 *     region                                            ADDRESS KEY KEY_WITHOUT_RIGHTS LENGTH
 *     qp 4|6 DEST SEND_PSN RECEIVE_PSN PMTU RNR_TIMER   NUMBER of a new reliable connection to QP DEST of 10.0.0.1 or
 * fd00::1 send|receive QP AT LENGTH COUNT STRIDE            posts COUNT of them; each next one's data are STRIDE later
 *     wait QP COUNT                                     STATUS,LENGTH for each completion: so many, or those of WAIT
 * seconds fill AT LENGTH PATTERN                            makes these bytes (sim/app/roce/traffic/roce_pattern.h)
 *     check AT LENGTH PATTERN                           the offset of the first byte that is not so; LENGTH: there is
 * none free QP       counters       bye                  counters: NAME VALUE of hw_counters
 *
 * The answer of a command that has none is "ok", of one that failed "failed: " and what.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/app/roce/traffic/roce_pattern.h"

enum {
    PORT = 4800,
    REGION = 8 << 20,
    QPS = 512,
    DEPTH = 128,
    WAIT = 20,
    TIMEOUT = 14 /* code: 67 ms */,
    READS = 16,
    TRIES = 5
};

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_mr *all, *none;
static uint8_t *memory;
static struct {
    struct ibv_qp *qp;
    struct ibv_cq *cq;
} qps[QPS]; /* by their numbers modulo QPS */
static char answer[8192];
static size_t length; /* of it */

static int say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    length += (size_t)vsnprintf(answer + length, sizeof answer - length, format, args);
    va_end(args);
    if (length >= sizeof answer) length = sizeof answer - 1;
    return 0;
}

static int fail(const char *what)
{
    length = 0;
    return say("failed: %s: %s", what, strerror(errno)), -1;
}

/* The index of our address of that version. */
static int gid_of(unsigned version, union ibv_gid *peer)
{
    static const uint8_t v4[16] = {[10] = 0xff, 0xff, 10, 0, 0, 2}, v6[16] = {0xfd, [15] = 2};
    const uint8_t *own = version == 4 ? v4 : v6;
    memcpy(peer->raw, own, 16);
    peer->raw[15] = 1;
    union ibv_gid gid;
    for (int i = 0; i < 16 && !ibv_query_gid(context, 1, i, &gid); i++)
        if (!memcmp(gid.raw, own, 16)) return i;
    return -1;
}

static int qp_new(const unsigned n[])
{
    struct ibv_cq *cq = ibv_create_cq(context, 2 * DEPTH, NULL, NULL, 0);
    struct ibv_qp_init_attr init = {
        .send_cq = cq, .recv_cq = cq, .cap = {DEPTH, DEPTH, 1, 1, 0}, .qp_type = IBV_QPT_RC, .sq_sig_all = 1};
    struct ibv_qp *qp = cq ? ibv_create_qp(pd, &init) : NULL;
    if (!qp) return fail("no QP");
    enum ibv_mtu pmtu = n[4] >= 4096   ? IBV_MTU_4096
                        : n[4] >= 2048 ? IBV_MTU_2048
                        : n[4] >= 1024 ? IBV_MTU_1024
                        : n[4] >= 512  ? IBV_MTU_512
                                       : IBV_MTU_256;
    struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT,
                            .port_num = 1,
                            .qp_access_flags =
                                IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE};
    if (ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
        return fail("to INIT");
    a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR,
                             .path_mtu = pmtu,
                             .dest_qp_num = n[1],
                             .rq_psn = n[3],
                             .max_dest_rd_atomic = READS,
                             .min_rnr_timer = (uint8_t)n[5],
                             .ah_attr = {.is_global = 1, .port_num = 1, .grh = {.hop_limit = 64}}};
    int gid = gid_of(n[0], &a.ah_attr.grh.dgid);
    if (gid < 0) return errno = EADDRNOTAVAIL, fail("own address");
    a.ah_attr.grh.sgid_index = (uint8_t)gid;
    int result = ETIMEDOUT; /* it looks for the other end's MAC address for a second */
    for (int i = 0; i < TRIES && result == ETIMEDOUT; i++)
        result = ibv_modify_qp(qp, &a,
                               IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                                   IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
    if (result) return errno = result, fail("to RTR");
    a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS,
                             .timeout = TIMEOUT,
                             .retry_cnt = 7,
                             .rnr_retry = 7,
                             .sq_psn = n[2],
                             .max_rd_atomic = READS};
    if (ibv_modify_qp(qp, &a,
                      IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                          IBV_QP_MAX_QP_RD_ATOMIC))
        return fail("to RTS");
    qps[qp->qp_num % QPS].qp = qp;
    qps[qp->qp_num % QPS].cq = cq;
    return say("%x", qp->qp_num);
}

static int post(struct ibv_qp *qp, int receive, const unsigned n[])
{
    for (unsigned i = 0; i < n[3]; i++) {
        struct ibv_sge data = {(uintptr_t)memory + n[1] + (size_t)i * n[4], n[2], all->lkey};
        struct ibv_send_wr send = {.sg_list = &data,
                                   .num_sge = 1,
                                   .opcode = IBV_WR_SEND,
                                   .send_flags = IBV_SEND_SIGNALED},
                           *bad_send;
        struct ibv_recv_wr take = {.sg_list = &data, .num_sge = 1}, *bad_take;
        if ((errno = receive ? ibv_post_recv(qp, &take, &bad_take) : ibv_post_send(qp, &send, &bad_send)))
            return fail("post");
    }
    return 0;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int wait_for(struct ibv_cq *cq, unsigned count)
{
    struct ibv_wc c;
    for (double end = now() + WAIT; count && now() < end;) {
        int n = ibv_poll_cq(cq, 1, &c);
        if (n < 0) return fail("poll");
        if (!n) usleep(200);
        else say("%d,%x ", c.status, c.opcode & IBV_WC_RECV && !c.status ? c.byte_len : 0), count--;
    }
    return 0;
}

static int counters(void)
{
    static const char folder[] = "/sys/class/infiniband/rxe0/ports/1/hw_counters";
    DIR *d = opendir(folder);
    if (!d) return fail(folder);
    for (struct dirent *e; (e = readdir(d));) {
        char path[400];
        unsigned long long value;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        FILE *f = e->d_name[0] == '.' ? NULL : fopen(path, "r");
        if (!f) continue;
        if (fscanf(f, "%llu", &value) == 1) say("%s %llu ", e->d_name, value);
        fclose(f);
    }
    closedir(d);
    return 0;
}

static int inside(unsigned at, size_t bytes)
{
    errno = ERANGE;
    return at <= REGION && bytes <= REGION - at ? 0 : fail("beyond the region");
}

/* Answers one command; 1: it was the last one. */
static int obey(const char *command)
{
    char name[16] = "";
    unsigned n[6] = {0};
    sscanf(command, "%15s %x %x %x %x %x %x", name, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5]);
    struct ibv_qp *qp = qps[n[0] % QPS].qp;
    struct ibv_cq *cq = qps[n[0] % QPS].cq;
    int known = qp && qp->qp_num == n[0], sends = !strcmp(name, "send");
    length = 0;
    if (!strcmp(name, "region")) say("%zx %x %x %x", (size_t)(uintptr_t)memory, all->rkey, none->rkey, REGION);
    else if (!strcmp(name, "qp")) qp_new(n);
    else if (!strcmp(name, "fill")) inside(n[0], n[1]) ? (void)0 : roce_pattern_fill(memory + n[0], n[2], n[1]);
    else if (!strcmp(name, "check"))
        inside(n[0], n[1]) ? 0 : say("%zx", roce_pattern_compare(memory + n[0], n[2], n[1]));
    else if (!strcmp(name, "counters")) counters();
    else if (!strcmp(name, "bye")) return 1;
    else if (!known) errno = EINVAL, fail(command);
    else if (sends || !strcmp(name, "receive")) inside(n[1], n[2] + (size_t)n[3] * n[4]) ? 0 : post(qp, !sends, n);
    else if (!strcmp(name, "wait")) wait_for(cq, n[1]);
    else if (!strcmp(name, "free")) {
        if (ibv_destroy_qp(qp) || ibv_destroy_cq(cq)) fail("free");
        qps[n[0] % QPS].qp = NULL;
    } else errno = ENOSYS, fail(command);
    return 0;
}

int main(void)
{
    int count, last = 0, s = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(PORT)}, from;
    struct ibv_device **devices = ibv_get_device_list(&count);
    int rights = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
    if (!devices || !count || !(context = ibv_open_device(devices[0])) || !(pd = ibv_alloc_pd(context)) ||
        !(memory = aligned_alloc(4096, REGION)) || !(all = ibv_reg_mr(pd, memory, REGION, rights)) ||
        !(none = ibv_reg_mr(pd, memory, REGION, IBV_ACCESS_LOCAL_WRITE)) || s < 0 ||
        bind(s, (struct sockaddr *)&own, sizeof own)) {
        perror("guest: verbs");
        return 1;
    }
    puts("guest: verbs");
    fflush(stdout);
    while (!last) {
        char command[256];
        socklen_t size = sizeof from;
        ssize_t n = recvfrom(s, command, sizeof command - 1, 0, (struct sockaddr *)&from, &size);
        if (n <= 0) continue;
        command[n] = 0;
        last = obey(command);
        if (!length) say("ok");
        sendto(s, answer, length, 0, (struct sockaddr *)&from, size);
    }
    return 0;
}
