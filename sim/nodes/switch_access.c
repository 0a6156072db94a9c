#include "switch_access.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nx_save.h"
#include "switch_register_map.h"
#include "sx_command.h"
#include "sx_print.h"

static int read32(void *f, unsigned offset, uint32_t *value)
{
    return fabric_monitor_read(f, offset, value);
}
static int write32(void *f, unsigned offset, uint32_t value)
{
    return fabric_monitor_write(f, offset, value);
}

struct sx_platform switch_platform(fabric *f)
{
    return (struct sx_platform){f, read32, write32};
}

static int run(const struct sx_platform *platform, int which, const char *commands, FILE *out, char error[SWITCH_ERROR])
{
    sx_switch sw;
    char *copy = strdup(commands), **words = calloc(strlen(commands) + 1, sizeof *words);
    int count = 0;
    if (!copy || !words) {
        fprintf(stderr, "switch: out of memory\n");
        exit(1);
    }
    for (char *w = strtok(copy, " "); w; w = strtok(NULL, " ")) words[count++] = w;
    int bad = sx_open(&sw, platform) || sx_command(&sw, which, count, words, out);
    if (bad) snprintf(error, SWITCH_ERROR, "switch: %s", sw.error);
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
    return run(&platform, SX_SETTINGS, commands, NULL, error);
}

int switch_settings(fabric *f, const char *commands, char error[SWITCH_ERROR])
{
    struct sx_platform platform = switch_platform(f);
    return run(&platform, SX_SETTINGS, commands, stdout, error);
}
int switch_tables(fabric *f, const char *commands, char error[SWITCH_ERROR])
{
    struct sx_platform platform = switch_platform(f);
    int first = !f->params.transport || !f->params.transport->rank; /* the others know the same */
    return run(&platform, SX_SHOWS | (first ? SX_FILES : 0), commands, stdout, error);
}

int switch_dump(fabric *f, const char *path, char error[SWITCH_ERROR])
{
    struct sx_platform platform = switch_platform(f);
    sx_switch sw;
    FILE *file = nx_save_open(path);
    if (!file) return snprintf(error, SWITCH_ERROR, "%.100s: %s", path, strerror(errno)), -1;
    int bad = sx_open(&sw, &platform) || sx_dump(&sw, file);
    if (!nx_save_close(file, path, bad)) return 0;
    if (bad) return snprintf(error, SWITCH_ERROR, "switch: %s", sw.error), -1;
    return snprintf(error, SWITCH_ERROR, "%.100s: %s", path, strerror(errno)), -1;
}
