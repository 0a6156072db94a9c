/* What went wrong, in words. See nx.h and nx_error.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "nx_internal.h"

const char *nx_strerror(int error)
{
    switch (error) {
    case NX_OK:
        return "no error";
    case NX_ERROR_ARGUMENT:
        return "illegal argument";
    case NX_ERROR_BUS:
        return "bus access failed";
    case NX_ERROR_NO_DEVICE:
        return "no such device";
    case NX_ERROR_NO_SPACE:
        return "no address space or bus memory left";
    case NX_ERROR_NO_MEMORY:
        return "out of memory";
    case NX_ERROR_DEVICE:
        return "device misbehaves";
    case NX_ERROR_TIMEOUT:
        return "timed out";
    case NX_ERROR_ABANDONED:
        return "descriptor skipped or abandoned";
    case NX_ERROR_FLAGGED:
        return "notification flagged: data lost or damaged";
    case NX_ERROR_PROTOCOL:
        return "protocol violated by the other node";
    case NX_ERROR_CHECKSUM:
        return "wrong checksum";
    case NX_ERROR_PEER:
        return "the other node gave up or started anew";
    case NX_ERROR_CALLBACK:
        return "reader or writer failed";
    default:
        return "unknown error";
    }
}

__attribute__((format(printf, 3, 4))) static size_t append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, size - used, format, list);
    va_end(list);
    return strlen(text);
}

void nx_status_names(uint32_t status, char *text, size_t size)
{
    text[0] = 0;
    for (unsigned i = 0; i < NIC_FIELD_TABLE_COUNT; i++)
        if (nic_fields[i].offset == NIC_STATUS && status >> nic_fields[i].lsb & 1)
            append(text, size, "%s%s", text[0] ? " " : "", nic_fields[i].name);
    if (!text[0]) append(text, size, "none");
}

int nx_status_read(nx_device *dev, nx_status *s)
{
    int error;
    memset(s, 0, sizeof *s);
    if ((error = nx_register_read(dev, NIC_STATUS, &s->status)) || (error = nx_register_read(dev, NIC_LINK_STATUS, &s->link))) return error;
    if (!(s->link & NIC_LINK_STATUS_UP_MASK)) append(s->text, sizeof s->text, "link is down\n");
    for (unsigned i = 0; i < NIC_FIELD_TABLE_COUNT; i++)
        if (nic_fields[i].offset == NIC_STATUS && s->status >> nic_fields[i].lsb & 1)
            append(s->text, sizeof s->text, "status %s: %s\n", nic_fields[i].name, nic_fields[i].text);
    for (const struct nic_register *r = nic_registers; r < nic_registers + NIC_REGISTER_TABLE_COUNT; r++) {
        uint32_t value;
        if (!r->error || r->count > 1) continue; /* those of the queues: below, since the device was opened */
        if (!nx_register_there(r, dev->build)) continue;
        if ((error = nx_register_read(dev, r->offset, &value))) return error;
        s->errors += value;
        if (value) append(s->text, sizeof s->text, "%s %u: %s\n", r->name, (unsigned)value, r->text);
    }
    for (unsigned q = 0; q < dev->queues; q++) {
        uint32_t value;
        if ((error = nx_register_read(dev, NIC_QUEUE_SKIPPED + 4 * q, &value))) return error;
        s->lost[q] = value - dev->queue[q].lost_at_open;
        if (s->lost[q]) append(s->text, sizeof s->text, "flow %u: %u descriptors skipped or abandoned\n", q, (unsigned)s->lost[q]);
    }
    if (!s->text[0]) append(s->text, sizeof s->text, "no errors\n");
    return NX_OK;
}

int nx_status_clear(nx_device *dev, uint32_t bits)
{
    return nx_register_write(dev, NIC_STATUS, bits);
}
