// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Tracing memories: access and files; see nx_trace.h. */
#include "nx_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "nx_findings.h"
#include "nx_internal.h"
#include "nx_number.h"

enum { VERSION = 3, ROUNDS = 1000 };

static const nx_trace_point points[] = {
    {NX_TRACE_NIC, "H2N_IN", 0, 0},  {NX_TRACE_NIC, "H2N_OUT", 0, 1}, {NX_TRACE_NIC, "N2H_IN", 1, 0},
    {NX_TRACE_NIC, "N2H_OUT", 1, 1}, {NX_TRACE_NIC, "RAW", 1, 0},     {NX_TRACE_SWITCH, "IN", 1, 0},
    {NX_TRACE_SWITCH, "OUT", 0, 0},
};
static const struct {
    const char *name;
    unsigned room;
} devices[NX_TRACE_DEVICES] = {{"nic", NX_TRACE_ENTRIES}, {"switch", 1024}};

const nx_trace_point *nx_trace_point_get(nx_trace_device device, unsigned point)
{
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        if (points[i].device == device && !point--) return &points[i];
    return NULL;
}

unsigned nx_trace_room(nx_trace_device device) { return devices[device].room; }

const char *nx_trace_device_name(nx_trace_device device) { return devices[device].name; }

static int built(nx_device *dev)
{
    uint32_t what;
    int error = nx_register_read(dev, NIC_MONITORING, &what);
    if (error || what & NIC_MONITORING_BUILT_MASK) return error;
    return nx_fail(dev, NX_ERROR_ARGUMENT,
                   "MONITORING reads 0: this device has no tracing memories, expected one built with MONITORING=1");
}

static int stop(nx_device *dev)
{
    uint32_t control = 0;
    int error = nx_register_write(dev, NIC_TRACE_CONTROL, NIC_TRACE_CONTROL_STOP_MASK);
    for (unsigned n = 0; !error && n < ROUNDS; n++) {
        error = nx_register_read(dev, NIC_TRACE_CONTROL, &control);
        if (!error && !(control & NIC_TRACE_CONTROL_START_MASK)) return NX_OK;
    }
    if (error) return error;
    return nx_fail(dev, NX_ERROR_DEVICE, "TRACE_CONTROL reads 0x%x, expected an end after STOP", (unsigned)control);
}

int nx_trace_start(nx_device *dev, int how, uint32_t freeze, unsigned after)
{
    int error;
    uint32_t what = 0;
    if ((error = nx_register_read(dev, NIC_BUILD, &what))) return error;
    unsigned links = (what & NIC_BUILD_LINKS_MASK) >> NIC_BUILD_LINKS_SHIFT, link = (unsigned)how >> 1;
    if (link && link >= links) return nx_fail(dev, NX_ERROR_ARGUMENT, "link %u, expected 0..%u", link, links - 1);
    if (after >= NX_TRACE_ENTRIES)
        return nx_fail(dev, NX_ERROR_ARGUMENT, "%u entries kept, expected 0..%u", after, NX_TRACE_ENTRIES - 1);
    if ((error = built(dev)) || (error = stop(dev)) || (error = nx_register_write(dev, NIC_TRACE_FREEZE, freeze)) ||
        (error = nx_register_write(dev, NIC_TRACE_AFTER, after)))
        return error;
    return nx_register_write(dev, NIC_TRACE_CONTROL,
                             NIC_TRACE_CONTROL_START_MASK | (how & 1 ? NIC_TRACE_CONTROL_CIRCULAR_MASK : 0) |
                                 link << NIC_TRACE_CONTROL_LINK_SHIFT);
}

int nx_trace_freeze(nx_device *dev)
{
    int error = built(dev);
    return error ? error : nx_register_write(dev, NIC_TRACE_CONTROL, NIC_TRACE_CONTROL_FREEZE_MASK);
}

int nx_trace_running(nx_device *dev)
{
    uint32_t control;
    int error = nx_register_read(dev, NIC_TRACE_CONTROL, &control);
    return error ? error : (int)((control & NIC_TRACE_CONTROL_RUNNING_MASK) >> NIC_TRACE_CONTROL_RUNNING_SHIFT);
}

static int take_entry(nx_device *dev, unsigned point, unsigned at, nx_trace_entry *entry)
{
    uint32_t low = 0, high = 0, flags = 0;
    int error = nx_register_write(dev, NIC_TRACE_INDEX, point << NIC_TRACE_INDEX_POINT_SHIFT | at);
    if (!error) error = nx_register_read(dev, NIC_TRACE_FLAGS, &flags);
    if (!error) error = nx_register_read(dev, NIC_TRACE_DATA_LOW, &low);
    if (!error) error = nx_register_read(dev, NIC_TRACE_DATA_HIGH, &high);
    *entry = (nx_trace_entry){(uint64_t)high << 32 | low, (uint8_t)flags};
    return error;
}

static int has_point(const nx_trace *t, unsigned point)
{
    if (t->device == NX_TRACE_NIC && point == NX_RAW) return t->links > 1 && !t->by_packet;
    return nx_trace_point_get(t->device, point) != NULL;
}

static int read_capacity(nx_device *dev, nx_trace *t)
{
    uint32_t units = 0;
    int error = nx_register_read(dev, NIC_TX_CAPACITY, &units);
    t->capacity = units;
    return error;
}

int nx_trace_take(nx_device *dev, nx_trace *t)
{
    uint32_t value = 0;
    int error;
    memset(t, 0, sizeof *t);
    t->number = dev->params.node_id;
    t->direct = dev->params.direct;
    if ((error = built(dev)) || (error = stop(dev)) || (error = nx_register_read(dev, NIC_TRACE_CAUSE, &t->cause)) ||
        (error = read_capacity(dev, t)) || (error = nx_register_read(dev, NIC_TRACE_CONTROL, &value)))
        return error;
    t->frozen = (value & NIC_TRACE_CONTROL_FREEZE_MASK) != 0;
    t->link = (value & NIC_TRACE_CONTROL_LINK_MASK) >> NIC_TRACE_CONTROL_LINK_SHIFT;
    if ((error = nx_register_read(dev, NIC_BUILD, &value))) return error;
    t->links = (value & NIC_BUILD_LINKS_MASK) >> NIC_BUILD_LINKS_SHIFT;
    t->by_packet = t->links > 1 && value & NIC_BUILD_BOND_MASK;
    for (unsigned p = 0; has_point(t, p); p++) {
        nx_trace_entry first;
        if ((error = take_entry(dev, p, 0, &first)) || (error = nx_register_read(dev, NIC_TRACE_LEVEL, &value)))
            return error;
        unsigned next = value & NIC_TRACE_LEVEL_NEXT_MASK, oldest = value & NIC_TRACE_LEVEL_WRAPPED_MASK ? next : 0;
        t->entries[p] = value & NIC_TRACE_LEVEL_WRAPPED_MASK ? NX_TRACE_ENTRIES : next;
        for (unsigned i = 0; i < t->entries[p]; i++)
            if ((error = take_entry(dev, p, (oldest + i) % NX_TRACE_ENTRIES, &t->entry[p][i]))) return error;
    }
    return NX_OK;
}

int nx_trace_save(const nx_trace *t, FILE *file)
{
    fprintf(file,
            "nxtrace %d device %s number %u direct %d links %u packet %d link %u capacity %u frozen %d cause %08" PRIx32
            "\n",
            VERSION, devices[t->device].name, t->number, t->direct, t->links, t->by_packet, t->link, t->capacity,
            t->frozen, t->cause);
    for (unsigned p = 0; has_point(t, p); p++) {
        fprintf(file, "point %s entries %u\n", nx_trace_point_get(t->device, p)->name, t->entries[p]);
        for (unsigned i = 0; i < t->entries[p]; i++)
            fprintf(file, "%016" PRIx64 " %02x\n", t->entry[p][i].data, t->entry[p][i].flags);
    }
    fprintf(file, "end\n");
    return fflush(file) || ferror(file) ? -1 : 0;
}

/* The first line, of any version. */
static int read_head(nx_trace *t, const char *line, int whole, char *why, size_t size)
{
    const char *at = line;
    unsigned version = (unsigned)nx_number_behind(&at, "nxtrace ", 10, UINT32_MAX), direct, frozen;
    if (!at) return snprintf(why, size, "line 1: no trace, expected 'nxtrace %d' at its start", VERSION), -1;
    if (version < 1 || version > VERSION)
        return snprintf(why, size, "line 1: a trace of version %u, expected version 1 to %d", version, VERSION), -1;
    if (version > 1 && !strncmp(at, " device ", strlen(" device "))) {
        size_t length = strcspn(at += strlen(" device "), " ");
        while (t->device < NX_TRACE_DEVICES &&
               (strncmp(at, devices[t->device].name, length) || devices[t->device].name[length]))
            t->device++;
        if (t->device == NX_TRACE_DEVICES)
            return snprintf(why, size, "line 1: device %.*s, expected nic or switch", length < 60 ? (int)length : 60,
                            at),
                   -1;
        at += length;
    } else if (version > 1) at = NULL;
    t->number = (unsigned)nx_number_behind(&at, version == 1 ? " node " : " number ", 10, UINT32_MAX);
    direct = (unsigned)nx_number_behind(&at, " direct ", 10, UINT32_MAX);
    t->links = version < 3 ? 1 : (unsigned)nx_number_behind(&at, " links ", 10, 4);
    t->by_packet = version < 3 ? 0 : (int)nx_number_behind(&at, " packet ", 10, 1);
    t->link = version < 3 ? 0 : (unsigned)nx_number_behind(&at, " link ", 10, 3);
    t->capacity = (unsigned)nx_number_behind(&at, " capacity ", 10, UINT32_MAX);
    frozen = (unsigned)nx_number_behind(&at, " frozen ", 10, UINT32_MAX);
    t->cause = (uint32_t)nx_number_behind(&at, " cause ", 16, UINT32_MAX);
    if (!whole || !at || *at)
        return snprintf(why, size, "line 1: '%.60s', expected %s, direct,%s capacity, frozen and cause", line,
                        version == 1 ? "node" : "device, number", version < 3 ? "" : " links, packet, link,"),
               -1;
    t->direct = direct != 0;
    t->frozen = frozen != 0;
    return 0;
}

int nx_trace_load(nx_trace *t, FILE *file, char *why, size_t size)
{
    char line[160] = "";
    unsigned number = 1;
    const nx_trace_point *point;
    memset(t, 0, sizeof *t);
    int whole = nx_line(file, line, sizeof line);
    if (read_head(t, line, whole, why, size)) return -1;
    for (unsigned p = 0; has_point(t, p); p++) {
        point = nx_trace_point_get(t->device, p);
        unsigned room = devices[t->device].room;
        number++;
        if (!nx_line(file, line, sizeof line))
            return snprintf(why, size, "line %u: cut off, expected point %s", number, point->name), -1;
        const char *at = line;
        if (!strncmp(at, "point ", 6) && !strncmp(at + 6, point->name, strlen(point->name)))
            at += 6 + strlen(point->name);
        unsigned n = (unsigned)nx_number_behind(&at, " entries ", 10, room);
        if (!at || *at)
            return snprintf(why, size, "line %u: '%.60s', expected point %s and at most %u entries", number, line,
                            point->name, room),
                   -1;
        for (; t->entries[p] < n; t->entries[p]++) {
            nx_trace_entry *e = &t->entry[p][t->entries[p]];
            number++;
            if (!nx_line(file, line, sizeof line))
                return snprintf(why, size, "line %u: cut off, expected %u entries of %s, there are %u", number, n,
                                point->name, t->entries[p]),
                       -1;
            at = line;
            e->data = nx_number_behind(&at, "", 16, UINT64_MAX);
            e->flags = (uint8_t)nx_number_behind(&at, " ", 16, UINT8_MAX);
            if (!at || *at)
                return snprintf(why, size, "line %u: '%.60s', expected an entry: 16 and 2 hexadecimal digits", number,
                                line),
                       -1;
        }
    }
    if (!nx_line(file, line, sizeof line) || strcmp(line, "end"))
        return snprintf(why, size, "line %u: '%.60s', expected end: cut off or damaged", number + 1, line), -1;
    return 0;
}

void nx_find(nx_findings *f, unsigned point, unsigned entry, const char *format, ...)
{
    va_list list;
    f->found++;
    if (!f->file) return;
    fprintf(f->file, "%s entry %u: ", nx_trace_point_get(f->t->device, point)->name, entry);
    va_start(list, format);
    vfprintf(f->file, format, list);
    va_end(list);
    fprintf(f->file, "\n");
}
