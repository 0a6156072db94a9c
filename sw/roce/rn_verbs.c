/* The chip's driver behind the functions of rn_verbs.h. */
#include "rn_verbs.h"

#include "rn_mad.h"

static uint64_t now(void *self)
{
    const struct nx_platform *p = rn_platform(self);
    return p->now(p->self);
}

static uint64_t alloc(void *self, size_t size)
{
    const struct nx_platform *p = rn_platform(self);
    return p->alloc(p->self, size, 64);
}

static void release(void *self, uint64_t address, size_t size)
{
    const struct nx_platform *p = rn_platform(self);
    p->release(p->self, address, size);
}

static int create(void *self, const rn_qp_params *params, void **out)
{
    rn_qp *qp;
    int result = rn_qp_create(self, params, &qp);
    *out = qp;
    return result;
}

static void destroy(void *qp) { rn_qp_destroy(qp); }

static unsigned number(const void *qp) { return rn_qp_number(qp); }

static int connect(void *qp, const rn_connection *connection) { return rn_qp_modify(qp, connection); }

static int disable(void *qp) { return rn_qp_disable(qp); }

static int post(void *qp, const rn_work *work) { return rn_post(qp, work); }

static int poll(void *qp, rn_completion *completions, unsigned most) { return rn_poll(qp, completions, most); }

static int receive(void *qp, uint8_t *to, size_t size, uint32_t *length)
{
    const struct nx_platform *p = rn_platform(rn_qp_device(qp));
    rn_message m;
    int result = rn_receive(qp, &m);
    if (result <= 0) return result;
    *length = m.length;
    p->mem_read(p->self, m.address, to, m.length < size ? m.length : size);
    result = rn_release(qp);
    return result ? result : 1;
}

static int syndrome(void *qp, unsigned *value)
{
    rn_qp_status status;
    int result = rn_qp_get_status(qp, &status);
    if (!result) *value = status.syndrome;
    return result;
}

static int mad_send(void *self, const rn_address *to, const uint8_t mad[RN_MAD]) { return rn_mad_send(self, to, mad); }

static int mad_receive(void *self, rn_address *from, uint8_t mad[RN_MAD], const char **why)
{
    uint8_t frame[RN_MAD_FRAME];
    rn_mad_frame f;
    int result = rn_mad_receive(self, frame, sizeof frame);
    if (result <= 0) return result;
    if ((result = rn_mad_frame_parse(frame, (size_t)result, &f, why))) return result;
    *from = f.from;
    memcpy(mad, f.mad, RN_MAD);
    return 1;
}

static const char *error(void *self) { return rn_last_error(self); }

rn_verbs rn_verbs_of(rn_device *dev)
{
    rn_verbs v = {.self = dev,
                  .now = now,
                  .alloc = alloc,
                  .release = release,
                  .create = create,
                  .destroy = destroy,
                  .number = number,
                  .connect = connect,
                  .disable = disable,
                  .post = post,
                  .poll = poll,
                  .receive = receive,
                  .syndrome = syndrome,
                  .mad_send = mad_send,
                  .mad_receive = mad_receive,
                  .error = error};
    memcpy(v.mac, rn_parameters(dev)->mac, sizeof v.mac);
    memcpy(v.ipv4, rn_parameters(dev)->ipv4, sizeof v.ipv4);
    return v;
}
