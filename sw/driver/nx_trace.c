/* Tracing memories: access and files; see nx_trace.h. */
#include "nx_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "nx_internal.h"

enum { VERSION = 1, ROUNDS = 1000 };

static const char *const names[NX_TRACE_POINTS] = {"H2N_IN", "H2N_OUT", "N2H_IN", "N2H_OUT"};

const char *nx_trace_point_name(unsigned point)
{
    return point < NX_TRACE_POINTS ? names[point] : "?";
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
    t->node = dev->params.node_id;
    t->direct = dev->params.direct;
    if ((error = built(dev)) || (error = stop(dev)) || (error = nx_register_read(dev, NIC_TRACE_CAUSE, &t->cause)) ||
        (error = read_capacity(dev, t)) || (error = nx_register_read(dev, NIC_TRACE_CONTROL, &value)))
        return error;
    t->frozen = (value & NIC_TRACE_CONTROL_FREEZE_MASK) != 0;
    for (unsigned p = 0; p < NX_TRACE_POINTS; p++) {
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
    fprintf(file, "nxtrace %d node %u direct %d capacity %u frozen %d cause %08" PRIx32 "\n", VERSION, t->node, t->direct, t->capacity,
            t->frozen, t->cause);
    for (unsigned p = 0; p < NX_TRACE_POINTS; p++) {
        fprintf(file, "point %s entries %u\n", names[p], t->entries[p]);
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

int nx_trace_load(nx_trace *t, FILE *file, char *why, size_t size)
{
    char line[128], name[16], rest;
    unsigned number = 0, version, direct, frozen;
    memset(t, 0, sizeof *t);
    int whole = next_line(file, line, sizeof line, &number);
    if (sscanf(line, "nxtrace %u", &version) != 1)
        return snprintf(why, size, "line 1: no trace, expected 'nxtrace %d' at its start", VERSION), -1;
    if (version != VERSION) return snprintf(why, size, "line 1: a trace of version %u, expected version %d", version, VERSION), -1;
    if (!whole || sscanf(line, "nxtrace %u node %u direct %u capacity %u frozen %u cause %" SCNx32 "%c", &version, &t->node, &direct,
                         &t->capacity, &frozen, &t->cause, &rest) != 6)
        return snprintf(why, size, "line 1: '%s', expected node, direct, capacity, frozen and cause", line), -1;
    t->direct = direct != 0;
    t->frozen = frozen != 0;
    for (unsigned p = 0; p < NX_TRACE_POINTS; p++) {
        unsigned n = 0;
        whole = next_line(file, line, sizeof line, &number);
        if (!whole) return snprintf(why, size, "line %u: cut off, expected point %s", number, names[p]), -1;
        if (sscanf(line, "point %15s entries %u%c", name, &n, &rest) != 2 || strcmp(name, names[p]) || n > NX_TRACE_ENTRIES)
            return snprintf(why, size, "line %u: '%.60s', expected point %s and at most %d entries", number, line, names[p],
                            NX_TRACE_ENTRIES),
                   -1;
        for (; t->entries[p] < n; t->entries[p]++) {
            nx_trace_entry *e = &t->entry[p][t->entries[p]];
            unsigned flags;
            if (!next_line(file, line, sizeof line, &number))
                return snprintf(why, size, "line %u: cut off, expected %u entries of %s, there are %u", number, n, names[p], t->entries[p]),
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
