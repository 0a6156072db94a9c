#include "switch_access.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static int run(fabric *f, int which, const char *commands, char error[SWITCH_ERROR])
{
    struct sx_platform platform = switch_platform(f);
    sx_switch sw;
    char *copy = strdup(commands), *words[64];
    int count = 0;
    for (char *w = strtok(copy, " "); w && count < 64; w = strtok(NULL, " ")) words[count++] = w;
    int bad = sx_open(&sw, &platform) || sx_command(&sw, which, count, words, stdout);
    if (bad) snprintf(error, SWITCH_ERROR, "switch: %s", sw.error);
    free(copy);
    return bad ? -1 : 0;
}

int switch_settings(fabric *f, const char *commands, char error[SWITCH_ERROR])
{
    return run(f, SX_SETTINGS, commands, error);
}
int switch_tables(fabric *f, const char *commands, char error[SWITCH_ERROR])
{
    return run(f, SX_SHOWS, commands, error);
}

int switch_dump(fabric *f, const char *path, char error[SWITCH_ERROR])
{
    struct sx_platform platform = switch_platform(f);
    sx_switch sw;
    FILE *file = fopen(path, "w");
    if (!file) return snprintf(error, SWITCH_ERROR, "%.100s: %s", path, strerror(errno)), -1;
    int bad = sx_open(&sw, &platform) || sx_dump(&sw, file);
    if (bad) snprintf(error, SWITCH_ERROR, "switch: %s", sw.error);
    if (fclose(file) && !bad) bad = snprintf(error, SWITCH_ERROR, "%.100s: %s", path, strerror(errno));
    return bad ? -1 : 0;
}
