/* Tracing memories: access and files; see nx_trace.h. */
#include "nx_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "nx_findings.h"
#include "nx_internal.h"

enum { VERSION = 2, ROUNDS = 1000 };

static const nx_trace_point points[] = {
    {NX_TRACE_NIC, "H2N_IN", 0, 0},  {NX_TRACE_NIC, "H2N_OUT", 0, 1}, {NX_TRACE_NIC, "N2H_IN", 1, 0},
    {NX_TRACE_NIC, "N2H_OUT", 1, 1}, {NX_TRACE_SWITCH, "IN", 1, 0},   {NX_TRACE_SWITCH, "OUT", 0, 0},
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

unsigned nx_trace_room(nx_trace_device device)
{
    return devices[device].room;
}

const char *nx_trace_device_name(nx_trace_device device)
{
    return devices[device].name;
}

static int built(nx_device *dev)
{
    uint32_t what;
    int error = nx_register_read(dev, NIC_MONITORING, &what);
    if (error || what & NIC_MONITORING_BUILT_MASK) return error;
    return nx_fail(dev, NX_ERROR_ARGUMENT, "MONITORING reads 0: this device has no tracing memories, expected one built with MONITORING=1");
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

int nx_trace_start(nx_device *dev, int circular, uint32_t freeze, unsigned after)
{
    int error;
    if (after >= NX_TRACE_ENTRIES) return nx_fail(dev, NX_ERROR_ARGUMENT, "%u entries kept, expected 0..%u", after, NX_TRACE_ENTRIES - 1);
    if ((error = built(dev)) || (error = stop(dev)) || (error = nx_register_write(dev, NIC_TRACE_FREEZE, freeze)) ||
        (error = nx_register_write(dev, NIC_TRACE_AFTER, after)))
        return error;
    return nx_register_write(dev, NIC_TRACE_CONTROL, NIC_TRACE_CONTROL_START_MASK | (circular ? NIC_TRACE_CONTROL_CIRCULAR_MASK : 0));
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
    for (unsigned p = 0; nx_trace_point_get(NX_TRACE_NIC, p); p++) {
        nx_trace_entry first;
        if ((error = take_entry(dev, p, 0, &first)) || (error = nx_register_read(dev, NIC_TRACE_LEVEL, &value))) return error;
        unsigned next = value & NIC_TRACE_LEVEL_NEXT_MASK, oldest = value & NIC_TRACE_LEVEL_WRAPPED_MASK ? next : 0;
        t->entries[p] = value & NIC_TRACE_LEVEL_WRAPPED_MASK ? NX_TRACE_ENTRIES : next;
        for (unsigned i = 0; i < t->entries[p]; i++)
            if ((error = take_entry(dev, p, (oldest + i) % NX_TRACE_ENTRIES, &t->entry[p][i]))) return error;
    }
    return NX_OK;
}

int nx_trace_save(const nx_trace *t, FILE *file)
{
    const nx_trace_point *point;
    fprintf(file, "nxtrace %d device %s number %u direct %d capacity %u frozen %d cause %08" PRIx32 "\n", VERSION, devices[t->device].name,
            t->number, t->direct, t->capacity, t->frozen, t->cause);
    for (unsigned p = 0; (point = nx_trace_point_get(t->device, p)); p++) {
        fprintf(file, "point %s entries %u\n", point->name, t->entries[p]);
        for (unsigned i = 0; i < t->entries[p]; i++) fprintf(file, "%016" PRIx64 " %02x\n", t->entry[p][i].data, t->entry[p][i].flags);
    }
    fprintf(file, "end\n");
    return fflush(file) || ferror(file) ? -1 : 0;
}

/* The next line without its end; 0 at the end of the file, also for one without its end. */
static int next_line(FILE *file, char *line, size_t size, unsigned *number)
{
    ++*number;
    if (!fgets(line, (int)size, file)) return *line = 0;
    size_t length = strcspn(line, "\n");
    int whole = line[length] == '\n';
    line[length] = 0;
    return whole;
}

/* The first line, of any version. */
static int read_head(nx_trace *t, const char *line, int whole, char *why, size_t size)
{
    char name[16] = "nic", rest;
    unsigned version, direct, frozen;
    if (sscanf(line, "nxtrace %9u", &version) != 1)
        return snprintf(why, size, "line 1: no trace, expected 'nxtrace %d' at its start", VERSION), -1;
    if (version < 1 || version > VERSION)
        return snprintf(why, size, "line 1: a trace of version %u, expected version 1 to %d", version, VERSION), -1;
    int read = version == 1 ? sscanf(line, "nxtrace %*u node %9u direct %9u capacity %9u frozen %9u cause %" SCNx32 "%c", &t->number,
                                     &direct, &t->capacity, &frozen, &t->cause, &rest)
                            : sscanf(line, "nxtrace %*u device %15s number %9u direct %9u capacity %9u frozen %9u cause %" SCNx32 "%c",
                                     name, &t->number, &direct, &t->capacity, &frozen, &t->cause, &rest) -
                                  1;
    if (!whole || read != 5)
        return snprintf(why, size, "line 1: '%.60s', expected %s, direct, capacity, frozen and cause", line,
                        version == 1 ? "node" : "device, number"),
               -1;
    for (t->device = 0; t->device < NX_TRACE_DEVICES && strcmp(name, devices[t->device].name) != 0;) t->device++;
    if (t->device == NX_TRACE_DEVICES) return snprintf(why, size, "line 1: device %s, expected nic or switch", name), -1;
    t->direct = direct != 0;
    t->frozen = frozen != 0;
    return 0;
}

int nx_trace_load(nx_trace *t, FILE *file, char *why, size_t size)
{
    char line[128], name[16], rest;
    unsigned number = 0;
    const nx_trace_point *point;
    memset(t, 0, sizeof *t);
    int whole = next_line(file, line, sizeof line, &number);
    if (read_head(t, line, whole, why, size)) return -1;
    for (unsigned p = 0; (point = nx_trace_point_get(t->device, p)); p++) {
        unsigned n = 0, room = devices[t->device].room;
        whole = next_line(file, line, sizeof line, &number);
        if (!whole) return snprintf(why, size, "line %u: cut off, expected point %s", number, point->name), -1;
        if (sscanf(line, "point %15s entries %9u%c", name, &n, &rest) != 2 || strcmp(name, point->name) || n > room)
            return snprintf(why, size, "line %u: '%.60s', expected point %s and at most %u entries", number, line, point->name, room), -1;
        for (; t->entries[p] < n; t->entries[p]++) {
            nx_trace_entry *e = &t->entry[p][t->entries[p]];
            unsigned flags;
            if (!next_line(file, line, sizeof line, &number))
                return snprintf(why, size, "line %u: cut off, expected %u entries of %s, there are %u", number, n, point->name,
                                t->entries[p]),
                       -1;
            if (sscanf(line, "%16" SCNx64 " %2x%c", &e->data, &flags, &rest) != 2)
                return snprintf(why, size, "line %u: '%.60s', expected an entry: 16 and 2 hexadecimal digits", number, line), -1;
            e->flags = (uint8_t)flags;
        }
    }
    whole = next_line(file, line, sizeof line, &number);
    if (strcmp(line, "end")) return snprintf(why, size, "line %u: '%.60s', expected end: cut off or damaged", number, line), -1;
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
