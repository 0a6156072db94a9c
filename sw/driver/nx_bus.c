// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Bus bring-up; see nx_bus.h. Register layout: pcix.md 11, S1 3.1.2. */
#include "nx_bus.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEVICES = 32,
    CFG_ID = 0x00,
    CFG_COMMAND = 0x04,
    CFG_STATUS = 0x06,
    CFG_CLASS = 0x08,
    CFG_CACHE_LINE = 0x0c,
    CFG_LATENCY = 0x0d,
    CFG_HEADER_TYPE = 0x0e,
    CFG_BAR0 = 0x10,
    CFG_CAPABILITIES = 0x34,
    CFG_INTERRUPT_LINE = 0x3c,
    CFG_INTERRUPT_PIN = 0x3d,
    COMMAND_MEMORY = 1 << 1,
    COMMAND_MASTER = 1 << 2,
    COMMAND_PARITY = 1 << 6,
    COMMAND_SERR = 1 << 8,
    STATUS_CAPABILITIES = 1 << 4,
    STATUS_ERRORS = 0xf900, /* write 1 to clear: 15:11 and 8 */
    CAPABILITY_PCIX = 7,
    PCIX_COMMAND = 2,
    PCIX_STATUS = 4
};

struct nx_bus {
    const struct nx_platform *platform;
    nx_bus_params params;
    nx_function functions[DEVICES];
    unsigned count;
    uint64_t next_address;
    int adopted; /* somebody else has placed the devices */
    char error[256];
};

static const unsigned SPLITS_OF_CODE[8] = {1, 2, 3, 4, 8, 12, 16, 32};

nx_bus_params nx_bus_params_default(void)
{
    nx_bus_params p = {
        .cache_line = 0x80, .latency_timer = 0xf8, .interrupt_line = 11, .relaxed_ordering = 0, .max_splits = 32};
    return p;
}

__attribute__((format(printf, 3, 4))) static int fail(nx_bus *bus, int error, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(bus->error, sizeof bus->error, format, list);
    va_end(list);
    return error;
}

static int get(nx_bus *bus, int device, int reg, int size, uint32_t *value)
{
    if (bus->platform->config_read(bus->platform->self, device, reg, size, value) < 0)
        return fail(bus, NX_ERROR_BUS, "device %d: configuration read of %d bytes at 0x%02x failed", device, size,
                    (unsigned)reg);
    return NX_OK;
}

static int put(nx_bus *bus, int device, int reg, int size, uint32_t value)
{
    if (bus->platform->config_write(bus->platform->self, device, reg, size, value) < 0)
        return fail(bus, NX_ERROR_BUS, "device %d: configuration write of %d bytes at 0x%02x failed", device, size,
                    (unsigned)reg);
    return NX_OK;
}

/* Writes all ones to BAR `index`, derives its size and leaves it as it was. */
static int size_bar(nx_bus *bus, nx_function *f, int index)
{
    nx_bar *bar = &f->bar[index];
    uint32_t old, low, high = 0, old_high = 0;
    int reg = CFG_BAR0 + 4 * index, error;
    if ((error = get(bus, f->device, reg, 4, &old)) || (error = put(bus, f->device, reg, 4, 0xffffffffu)) ||
        (error = get(bus, f->device, reg, 4, &low)) || (error = put(bus, f->device, reg, 4, old)))
        return error;
    if (low == 0) return NX_OK;
    if (low & 1) {
        bar->io = 1;
        bar->size = (uint32_t)(~(low & ~3u) + 1) & 0xffffu;
        return NX_OK;
    }
    bar->prefetchable = low >> 3 & 1;
    bar->wide = (low >> 1 & 3) == 2;
    if (bar->wide) {
        if (index == 5)
            return fail(bus, NX_ERROR_DEVICE, "device %d: BAR 5 says it is 64 bits wide, expected 32", f->device);
        if ((error = get(bus, f->device, reg + 4, 4, &old_high)) ||
            (error = put(bus, f->device, reg + 4, 4, 0xffffffffu)) ||
            (error = get(bus, f->device, reg + 4, 4, &high)) || (error = put(bus, f->device, reg + 4, 4, old_high)))
            return error;
    } else {
        high = 0xffffffffu;
    }
    bar->size = ~((uint64_t)high << 32 | (low & ~0xfu)) + 1;
    if (bar->size & (bar->size - 1) || bar->size < 16)
        return fail(bus, NX_ERROR_DEVICE,
                    "device %d: BAR %d reads 0x%08x after all ones, expected ones above its size and zeros below",
                    f->device, index, (unsigned)low);
    return NX_OK;
}

static int find_pcix(nx_bus *bus, nx_function *f)
{
    uint32_t status, at, word;
    int error, left = 48; /* a list without loops has at most that many items */
    if ((error = get(bus, f->device, CFG_STATUS, 2, &status))) return error;
    if (!(status & STATUS_CAPABILITIES)) return NX_OK;
    if ((error = get(bus, f->device, CFG_CAPABILITIES, 1, &at))) return error;
    for (at &= 0xfc; at; at = word >> 8 & 0xfc) {
        if (at < 0x40 || !left--)
            return fail(bus, NX_ERROR_DEVICE,
                        "device %d: capability list leads to 0x%02x, expected a list from 0x40 up without loops",
                        f->device, (unsigned)at);
        if ((error = get(bus, f->device, (int)at, 2, &word))) return error;
        if ((word & 0xff) == CAPABILITY_PCIX) {
            f->pcix = (uint8_t)at;
            break;
        }
    }
    return NX_OK;
}

static int identify(nx_bus *bus, int device, uint32_t id)
{
    nx_function *f = &bus->functions[bus->count++];
    uint32_t value;
    int error;
    memset(f, 0, sizeof *f);
    f->device = device;
    f->vendor_id = (uint16_t)id;
    f->device_id = (uint16_t)(id >> 16);
    if ((error = get(bus, device, CFG_CLASS, 4, &value))) return error;
    f->class_code = value >> 8;
    f->revision = (uint8_t)value;
    if ((error = get(bus, device, CFG_HEADER_TYPE, 1, &value))) return error;
    f->header_type = (uint8_t)value;
    return NX_OK;
}

/* Identifies one device and sizes its BARs with memory decoding and DMA off. */
static int probe(nx_bus *bus, int device, uint32_t id)
{
    int error = identify(bus, device, id);
    nx_function *f = &bus->functions[bus->count - 1];
    uint32_t value;
    if (error || (error = get(bus, device, CFG_COMMAND, 2, &value)) ||
        (error = put(bus, device, CFG_COMMAND, 2, value & ~(uint32_t)(COMMAND_MEMORY | COMMAND_MASTER | 1))))
        return error;
    if ((f->header_type & 0x7f) == 0)
        for (int i = 0; i < 6; i += f->bar[i].wide ? 2 : 1)
            if ((error = size_bar(bus, f, i))) return error;
    return find_pcix(bus, f);
}

static int place_bar(nx_bus *bus, nx_function *f, int index)
{
    nx_bar *bar = &f->bar[index];
    uint64_t base = (bus->next_address + bar->size - 1) & ~(bar->size - 1);
    uint64_t end = bus->platform->window_base + bus->platform->window_size;
    uint32_t value;
    int error, reg = CFG_BAR0 + 4 * index;
    if (base < bus->next_address || base >= end || end - base < bar->size || base + bar->size > (uint64_t)1 << 32)
        return fail(
            bus, NX_ERROR_NO_SPACE,
            "device %d: BAR %d needs 0x%llx bytes, expected room in the window 0x%llx..0x%llx from 0x%llx, below 4 GB",
            f->device, index, (unsigned long long)bar->size, (unsigned long long)bus->platform->window_base,
            (unsigned long long)end - 1, (unsigned long long)bus->next_address);
    if ((error = put(bus, f->device, reg, 4, (uint32_t)base)) || (error = get(bus, f->device, reg, 4, &value)))
        return error;
    if ((value & ~0xfu) != (uint32_t)base)
        return fail(bus, NX_ERROR_DEVICE, "device %d: BAR %d reads 0x%08x, expected the 0x%08x written", f->device,
                    index, (unsigned)value, (unsigned)base);
    if (bar->wide && (error = put(bus, f->device, reg + 4, 4, 0))) return error;
    bar->address = base;
    bus->next_address = base + bar->size;
    return NX_OK;
}

/* Largest first: no holes, since every size is a power of two. */
static int place_all(nx_bus *bus)
{
    for (;;) {
        nx_function *owner = NULL;
        int index = 0, error;
        for (unsigned d = 0; d < bus->count; d++)
            for (int i = 0; i < 6; i++) {
                nx_bar *bar = &bus->functions[d].bar[i];
                if (!bar->size || bar->io || bar->address) continue;
                if (!owner || bar->size > owner->bar[index].size) {
                    owner = &bus->functions[d];
                    index = i;
                }
            }
        if (!owner) return NX_OK;
        if ((error = place_bar(bus, owner, index))) return error;
    }
}

static int set_pcix(nx_bus *bus, nx_function *f)
{
    uint32_t status, command;
    unsigned code, read_code;
    int error;
    if ((error = get(bus, f->device, f->pcix + PCIX_STATUS, 4, &status))) return error;
    read_code = status >> 21 & 3;
    for (code = status >> 23 & 7; code && SPLITS_OF_CODE[code] > bus->params.max_splits;) code--;
    /* bit 0: data parity errors are reported to the driver, which recovers, instead of by SERR# (pcix.md 10) */
    command = 1u | (bus->params.relaxed_ordering ? 2u : 0u) | read_code << 2 | code << 4;
    if ((error = put(bus, f->device, f->pcix + PCIX_COMMAND, 2, command)) ||
        (error = get(bus, f->device, f->pcix + PCIX_COMMAND, 2, &command)) ||
        (error = get(bus, f->device, f->pcix + PCIX_STATUS, 4, &f->pcix_status)))
        return error;
    f->pcix_command = (uint16_t)command;
    f->max_read_bytes = 512u << (command >> 2 & 3);
    f->max_splits = SPLITS_OF_CODE[command >> 4 & 7];
    if ((command >> 2 & 3) != read_code || (command >> 4 & 7) != code)
        return fail(bus, NX_ERROR_DEVICE,
                    "device %d: PCI-X command reads 0x%04x, expected read size code %u and split code %u", f->device,
                    (unsigned)command, read_code, code);
    return NX_OK;
}

/* Of an adopted device the interrupt line stays, and what is set in the command register. */
static int switch_on(nx_bus *bus, nx_function *f)
{
    uint32_t value, command = 0;
    int error;
    if ((error = put(bus, f->device, CFG_CACHE_LINE, 1, bus->params.cache_line)) ||
        (error = put(bus, f->device, CFG_LATENCY, 1, bus->params.latency_timer)) ||
        (!bus->adopted && (error = put(bus, f->device, CFG_INTERRUPT_LINE, 1, bus->params.interrupt_line))))
        return error;
    if ((error = get(bus, f->device, CFG_CACHE_LINE, 1, &value))) return error;
    f->cache_line = (uint8_t)value;
    if ((error = get(bus, f->device, CFG_LATENCY, 1, &value))) return error;
    f->latency_timer = (uint8_t)value;
    if ((error = get(bus, f->device, CFG_INTERRUPT_LINE, 1, &value))) return error;
    f->interrupt_line = (uint8_t)value;
    if ((error = get(bus, f->device, CFG_INTERRUPT_PIN, 1, &value))) return error;
    f->interrupt_pin = (uint8_t)value;
    if (f->pcix && (error = set_pcix(bus, f))) return error;
    if ((error = put(bus, f->device, CFG_STATUS, 2, STATUS_ERRORS))) return error;
    if (bus->adopted && (error = get(bus, f->device, CFG_COMMAND, 2, &command))) return error;
    return put(bus, f->device, CFG_COMMAND, 2,
               command | COMMAND_MEMORY | COMMAND_MASTER | COMMAND_PARITY | COMMAND_SERR);
}

static nx_bus *make(const struct nx_platform *platform, const nx_bus_params *params)
{
    nx_bus *bus = calloc(1, sizeof *bus);
    if (!bus) return NULL;
    bus->platform = platform;
    bus->params = params ? *params : nx_bus_params_default();
    return bus;
}

int nx_bus_scan(const struct nx_platform *platform, const nx_bus_params *params, nx_bus **result)
{
    nx_bus *bus = *result = make(platform, params);
    int error;
    if (!bus) return NX_ERROR_NO_MEMORY;
    bus->next_address = platform->window_base ? platform->window_base : 16; /* a BAR of 0 is a BAR that is off */
    for (int device = 0; device < DEVICES; device++) {
        uint32_t id = 0xffffffffu;
        if (platform->config_read(platform->self, device, CFG_ID, 4, &id) < 0 || (id & 0xffff) == 0xffff || !id)
            continue;
        if ((error = probe(bus, device, id))) return error;
    }
    if ((error = place_all(bus))) return error;
    for (unsigned i = 0; i < bus->count; i++)
        if ((bus->functions[i].header_type & 0x7f) == 0 && (error = switch_on(bus, &bus->functions[i]))) return error;
    return NX_OK;
}

/* What the owner of the bus says of BAR `index` can be so, beside those before it. */
static int check_place(nx_bus *bus, const nx_function *f, int index)
{
    const nx_bar *bar = &f->bar[index];
    if (!bar->size) return NX_OK;
    if (bar->size & (bar->size - 1) || bar->size < (bar->io ? 4 : 16) || !bar->address ||
        bar->address & (bar->size - 1) || bar->address + bar->size > (uint64_t)1 << 32 ||
        (bar->wide && (bar->io || index == 5)))
        return fail(bus, NX_ERROR_ARGUMENT,
                    "device %d: BAR %d is said to have 0x%llx bytes at 0x%llx, expected a power of two at a multiple "
                    "of it, below 4 GB",
                    f->device, index, (unsigned long long)bar->size, (unsigned long long)bar->address);
    if (index && f->bar[index - 1].size && f->bar[index - 1].wide)
        return fail(bus, NX_ERROR_ARGUMENT, "device %d: BAR %d is given, expected none: BAR %d is 64 bits wide",
                    f->device, index, index - 1);
    for (int i = 0; i < index; i++) {
        const nx_bar *other = &f->bar[i];
        if (other->size && other->io == bar->io && other->address < bar->address + bar->size &&
            bar->address < other->address + other->size)
            return fail(bus, NX_ERROR_ARGUMENT, "device %d: BAR %d at 0x%llx overlaps BAR %d", f->device, index,
                        (unsigned long long)bar->address, i);
    }
    return NX_OK;
}

/* The register of BAR `index` reads that. */
static int check_bar(nx_bus *bus, const nx_function *f, int index)
{
    const nx_bar *bar = &f->bar[index];
    const uint32_t type = (uint32_t)(bar->io | (bar->wide ? 4 : 0) | (bar->prefetchable ? 8 : 0)),
                   expected = bar->size ? (uint32_t)bar->address | type : 0;
    uint32_t value, high = 0;
    int error;
    if ((error = get(bus, f->device, CFG_BAR0 + 4 * index, 4, &value))) return error;
    if (bar->size && bar->wide && (error = get(bus, f->device, CFG_BAR0 + 4 * index + 4, 4, &high))) return error;
    if (high || value != expected)
        return fail(bus, NX_ERROR_DEVICE, "device %d: BAR %d reads 0x%08x%08x, expected 0x%08x", f->device, index,
                    (unsigned)high, (unsigned)value, (unsigned)expected);
    return NX_OK;
}

int nx_bus_adopt(const struct nx_platform *platform, const nx_bus_params *params, int device, const nx_bar bar[6],
                 nx_bus **result)
{
    nx_bus *bus = *result = make(platform, params);
    uint32_t id;
    int error;
    if (!bus) return NX_ERROR_NO_MEMORY;
    bus->adopted = 1;
    if (device < 0 || device >= DEVICES)
        return fail(bus, NX_ERROR_ARGUMENT, "device is %d, expected 0..%d", device, DEVICES - 1);
    if (platform->config_read(platform->self, device, CFG_ID, 4, &id) < 0 || (id & 0xffff) == 0xffff || !id)
        return fail(bus, NX_ERROR_NO_DEVICE, "device %d: no device answers", device);
    if ((error = identify(bus, device, id))) return error;
    nx_function *f = &bus->functions[0];
    if (f->header_type & 0x7f)
        return fail(bus, NX_ERROR_DEVICE, "device %d: header type 0x%02x, expected 0x00 or 0x80", device,
                    f->header_type);
    memcpy(f->bar, bar, sizeof f->bar);
    for (int i = 0; i < 6; i++)
        if ((error = check_place(bus, f, i))) return error;
    for (int i = 0; i < 6; i += f->bar[i].size && f->bar[i].wide ? 2 : 1)
        if ((error = check_bar(bus, f, i))) return error;
    if ((error = find_pcix(bus, f))) return error;
    return switch_on(bus, f);
}

void nx_bus_free(nx_bus *bus) { free(bus); }
unsigned nx_bus_count(const nx_bus *bus) { return bus->count; }
const nx_function *nx_bus_get(const nx_bus *bus, unsigned index)
{
    return index < bus->count ? &bus->functions[index] : NULL;
}
const char *nx_bus_last_error(const nx_bus *bus) { return bus ? bus->error : "out of memory"; }

const nx_function *nx_bus_find(const nx_bus *bus, unsigned vendor_id, unsigned device_id, unsigned nth)
{
    for (unsigned i = 0; i < bus->count; i++)
        if (bus->functions[i].vendor_id == vendor_id && bus->functions[i].device_id == device_id && !nth--)
            return &bus->functions[i];
    return NULL;
}
