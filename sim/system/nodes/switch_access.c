#include "sim/system/nodes/switch_access.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nx_save.h"
#include "switch_register_map.h"
#include "sx_command.h"
#include "sx_print.h"

static int read32(void *monitor, unsigned offset, uint32_t *value)
{
    const struct fabric_monitor *m = monitor;
    return fabric_path_read(m->f, m->path, offset, value);
}
static int write32(void *monitor, unsigned offset, uint32_t value)
{
    const struct fabric_monitor *m = monitor;
    return fabric_path_write(m->f, m->path, offset, value);
}

struct sx_platform switch_platform(fabric *f, unsigned path)
{
    f->monitor[path] = (struct fabric_monitor){f, path};
    return (struct sx_platform){&f->monitor[path], read32, write32};
}

/* The files of switch 1 and up have its number behind their names. */
static void file_of(const char *name, unsigned path, char *text, size_t size)
{
    if (path) snprintf(text, size, "%s.%u", name, path);
    else snprintf(text, size, "%s", name);
}

static int run(const struct sx_platform *platform, unsigned path, int which, const char *commands, FILE *out,
               char error[SWITCH_ERROR])
{
    sx_switch sw;
    char *copy = strdup(commands), **words = calloc(strlen(commands) + 1, sizeof *words),
         (*files)[512] = calloc(strlen(commands) / 2 + 1, sizeof *files);
    int count = 0;
    if (!copy || !words || !files) {
        fprintf(stderr, "switch: out of memory\n");
        exit(1);
    }
    for (char *w = strtok(copy, " "); w; w = strtok(NULL, " ")) words[count++] = w;
    for (int i = 0; i + 2 < count && path; i++)
        if (!strcmp(words[i], "trace-save")) {
            file_of(words[i + 2], path, files[i], sizeof files[i]);
            words[i + 2] = files[i];
        }
    int bad = sx_open(&sw, platform) || sx_command(&sw, which, count, words, out);
    if (bad) snprintf(error, SWITCH_ERROR, "switch: %s", sw.error);
    free(files);
    free(words);
    free(copy);
    return bad ? -1 : 0;
}

/* A switch that says what it was built with, and takes everything. */
static int pretended_read(void *chip, unsigned offset, uint32_t *value)
{
    *value = 0;
    if (offset == SWITCH_VERSION) *value = SWITCH_VERSION_RESET;
    if (offset == SWITCH_BUILD)
        *value = switch_ports(chip) << SWITCH_BUILD_PORTS_SHIFT | SWITCH_BUILD_MONITOR_MASK | SWITCH_BUILD_STAMPS_MASK |
                 (sim_config_parameter(chip, "TRACE", 0) ? SWITCH_BUILD_TRACE_MASK : 0);
    return 0;
}
static int pretended_write(void *chip, unsigned offset, uint32_t value)
{
    return (void)chip, (void)offset, (void)value, 0;
}

int switch_check(const sim_config *chip, const char *commands, char error[SWITCH_ERROR])
{
    struct sx_platform platform = {(void *)chip, pretended_read, pretended_write};
    return run(&platform, 0, SX_SETTINGS, commands, NULL, error);
}

int switch_settings(fabric *f, const char *commands, char error[SWITCH_ERROR])
{
    int bad = 0;
    for (unsigned path = 0; path < f->links && !bad; path++) {
        struct sx_platform platform = switch_platform(f, path);
        bad = run(&platform, path, SX_SETTINGS, commands, stdout, error);
    }
    return bad;
}

int switch_tables(fabric *f, const char *commands, char error[SWITCH_ERROR])
{
    int first = !f->params.transport || !f->params.transport->rank, bad = 0; /* the others know the same */
    for (unsigned path = 0; path < f->links && !bad; path++) {
        struct sx_platform platform = switch_platform(f, path);
        if (f->links > 1) printf("%sswitch %u\n", path ? "\n" : "", path);
        bad = run(&platform, path, SX_SHOWS | (first ? SX_FILES : 0), commands, stdout, error);
    }
    return bad;
}

static int dump_one(fabric *f, unsigned which, const char *name, char error[SWITCH_ERROR])
{
    struct sx_platform platform = switch_platform(f, which);
    sx_switch sw;
    char path[512];
    file_of(name, which, path, sizeof path);
    FILE *file = nx_save_open(path);
    if (!file) return snprintf(error, SWITCH_ERROR, "%.100s: %s", path, strerror(errno)), -1;
    int bad = sx_open(&sw, &platform) || sx_dump(&sw, file);
    if (!nx_save_close(file, path, bad)) return 0;
    if (bad) return snprintf(error, SWITCH_ERROR, "switch: %s", sw.error), -1;
    return snprintf(error, SWITCH_ERROR, "%.100s: %s", path, strerror(errno)), -1;
}

int switch_dump(fabric *f, const char *path, char error[SWITCH_ERROR])
{
    int bad = 0;
    for (unsigned which = 0; which < f->links && !bad; which++) bad = dump_one(f, which, path, error);
    return bad;
}
