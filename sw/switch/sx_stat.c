#include "sx_stat.h"

#include "nx_stat.h"
#include "switch_register_map.h"

static uint32_t bits(const struct switch_field *f, uint32_t value)
{
    return value >> f->lsb & (0xffffffffu >> (31 - (f->msb - f->lsb)));
}

/* Prints a register, or with `before` what moved in it: how many lines. */
static unsigned show(const sx_register *r, const sx_dump_image *before, uint32_t value, int all, FILE *file)
{
    uint32_t old = before ? before->value[r->offset / 4] : 0;
    const struct switch_register *map = r->map;
    char name[80];
    unsigned fields = 0, lines = 0;
    for (unsigned i = 0; i < SWITCH_FIELD_TABLE_COUNT; i++) fields += switch_fields[i].offset == map->offset;
    if (before ? old == value : !all && value == map->reset) return 0;
    if (!before) nx_value_print(r->name, fields ? "" : map->access, value, map->text, file);
    else if (!fields) nx_moved_print(r->name, map->access, old, value, map->text, file), lines++;
    for (const struct switch_field *f = switch_fields; f < switch_fields + SWITCH_FIELD_TABLE_COUNT; f++) {
        if (f->offset != map->offset) continue;
        snprintf(name, sizeof name, "%s.%s", r->name, f->name);
        if (!before && (all || bits(f, value))) nx_value_print(f->name, "field", bits(f, value), f->text, file);
        if (!before || bits(f, old) == bits(f, value)) continue;
        nx_moved_print(name, "field", bits(f, old), bits(f, value), f->text, file);
        lines++;
    }
    return lines;
}

static unsigned show_all(const sx_switch *sw, const sx_dump_image *before, const sx_dump_image *image, int all,
                         FILE *file)
{
    unsigned lines = 0;
    fprintf(file, "switch: %u ports%s\n", sw->ports, sw->counters ? "" : ", without counters");
    for (sx_register r = {0}; sx_register_next(sw->ports, &r);)
        lines += show(&r, before, image->value[r.offset / 4], all, file);
    return lines;
}

void sx_stat_print(const sx_switch *sw, const sx_dump_image *image, int all, FILE *file)
{
    show_all(sw, NULL, image, all, file);
}

unsigned sx_stat_moved(const sx_switch *sw, const sx_dump_image *before, const sx_dump_image *after, FILE *file)
{
    return show_all(sw, before, after, 0, file);
}
