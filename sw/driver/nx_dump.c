/* Reports for people; see nx_dump.h. */
#include "nx_dump.h"

#include <string.h>

#include "nx_internal.h"

int nx_config_dump(const struct nx_platform *platform, int device, const char *text, FILE *file)
{
    uint32_t words[64];
    for (int i = 0; i < 64; i++)
        if (platform->config_read(platform->self, device, 4 * i, 4, &words[i]) < 0) return NX_ERROR_BUS;
    if ((words[0] & 0xffff) == 0xffff) return NX_ERROR_BUS;
    fprintf(file, "00:%02x.0 %s\n", (unsigned)device, text && *text ? text : "device");
    for (unsigned i = 0; i < 256; i++) {
        if (i % 16 == 0) fprintf(file, "%02x:", i);
        fprintf(file, " %02x%s", (unsigned)(words[i / 4] >> i % 4 * 8 & 0xff), i % 16 == 15 ? "\n" : "");
    }
    fprintf(file, "\n");
    return ferror(file) ? NX_ERROR_DEVICE : NX_OK;
}

static const struct nic_register *find(unsigned offset)
{
    for (unsigned i = 0; i < NIC_REGISTER_TABLE_COUNT; i++)
        if (offset >= nic_registers[i].offset && offset < nic_registers[i].offset + 4 * nic_registers[i].count) return &nic_registers[i];
    return NULL;
}

int nx_register_offset(const char *name)
{
    for (unsigned i = 0; i < NIC_REGISTER_TABLE_COUNT; i++)
        if (!strcmp(nic_registers[i].name, name)) return (int)nic_registers[i].offset;
    return NX_ERROR_ARGUMENT;
}

void nx_register_format(unsigned offset, uint32_t value, char *text, size_t size)
{
    const struct nic_register *r = find(offset);
    size_t used;
    if (!r) snprintf(text, size, "0x%03x 0x%08x", offset, (unsigned)value);
    else if (r->count > 1) snprintf(text, size, "%s[%u] 0x%08x", r->name, (offset - r->offset) / 4, (unsigned)value);
    else snprintf(text, size, "%s 0x%08x", r->name, (unsigned)value);
    for (unsigned i = 0; r && i < NIC_FIELD_TABLE_COUNT; i++) {
        const struct nic_field *f = &nic_fields[i];
        if (f->offset != r->offset) continue;
        used = strlen(text);
        snprintf(text + used, size - used, "%s%s=%u", strchr(text, '=') ? " " : "  ", f->name,
                 (unsigned)(value >> f->lsb & (0xffffffffu >> (31 - (f->msb - f->lsb)))));
    }
    used = strlen(text);
    snprintf(text + used, size - used, "\n");
}

int nx_registers_print(nx_device *dev, int all, FILE *file)
{
    for (unsigned i = 0; i < NIC_REGISTER_TABLE_COUNT; i++)
        for (unsigned k = 0; k < nic_registers[i].count; k++) {
            unsigned offset = nic_registers[i].offset + 4 * k;
            uint32_t value;
            char text[512];
            int error = nx_register_read(dev, offset, &value);
            if (error) return error;
            if (!all && value == nic_registers[i].reset) continue;
            nx_register_format(offset, value, text, sizeof text);
            fprintf(file, "0x%03x %s", offset, text);
        }
    return ferror(file) ? NX_ERROR_DEVICE : NX_OK;
}
