/* nxsample: reads samples of a NIC that were saved (nx_samples_save, make run PROGRAM=nxsample): bandwidth over time.
 *
 *   nxsample FILE                a table of 20 rows
 *   nxsample FILE ROWS           ... of so many
 *   nxsample FILE PICTURE.svg    a picture
 *
 * Exit code 2 and one line: the file has no samples, or cannot be read; the picture cannot be written.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "nx_number.h"
#include "nx_program.h"
#include "nx_samples.h"
#include "nx_save.h"

static int fail(const char *name, const char *why)
{
    fprintf(stderr, "nxsample: %s: %s\n", name, why);
    return 2;
}

NX_PROGRAM("nxsample FILE [ROWS|PICTURE.svg], samples that were saved");

int main(int argc, char **argv)
{
    static nx_samples samples;
    char why[256];
    unsigned rows = 20;
    size_t length = argc == 3 ? strlen(argv[2]) : 0;
    int picture = length > 4 && !strcmp(argv[2] + length - 4, ".svg");
    if ((argc != 2 && argc != 3) || (argc == 3 && !picture && !nx_number(argv[2], 1, UINT32_MAX, &rows))) {
        fprintf(stderr, "nxsample: expected nxsample FILE [ROWS|PICTURE.svg], samples that were saved\n");
        return 2;
    }
    FILE *file = fopen(argv[1], "r");
    if (!file) return fail(argv[1], strerror(errno));
    int bad = nx_samples_load(&samples, file, why, sizeof why);
    fclose(file);
    if (bad) return fail(argv[1], why);
    if (!picture) {
        nx_samples_print(&samples, rows, stdout);
        return 0;
    }
    if (!(file = nx_save_open(argv[2]))) return fail(argv[2], strerror(errno));
    nx_samples_draw(&samples, file);
    return nx_save_close(file, argv[2], 0) ? fail(argv[2], strerror(errno)) : 0;
}
