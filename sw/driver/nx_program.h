/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Common parts of all programs: -h, --version, and its end when what it prints is lost. Included by the file with main;
 * usage is what -h and --help print, NULL: main knows --help. */
#ifndef NX_PROGRAM_H
#define NX_PROGRAM_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NX_VERSION "1.0"

/* Of a program; in argv, or "". */
static const char *nx_program_name = "";

/* The last thing before a program ends by exit(): a full disk, for instance, makes it fail. */
static void nx_program_ends(void)
{
    if (!fflush(stdout) && !ferror(stdout)) return;
    fprintf(stderr, "%s: standard output cannot be written%s%s\n", nx_program_name, errno ? ": " : "",
            errno ? strerror(errno) : "");
    _exit(1);
}

/* With -h or --version as its only argument a program does nothing else. */
static void nx_program(int argc, char **argv, const char *usage)
{
    static char help[] = "--help";
    const char *slash = argc ? strrchr(argv[0], '/') : NULL;
    nx_program_name = slash ? slash + 1 : argc ? argv[0] : "";
    atexit(nx_program_ends);
    if (argc != 2) return;
    if (!strcmp(argv[1], "-h")) argv[1] = help;
    if (!strcmp(argv[1], "--version")) printf("%s (nicxbar) " NX_VERSION "\n", nx_program_name);
    else if (usage && !strcmp(argv[1], "--help")) printf("usage: %s\n", usage);
    else return;
    exit(0);
}

/* Called before main, with its arguments. */
#define NX_PROGRAM(usage)                                                                                              \
    static void __attribute__((constructor)) nx_program_begins(int argc, char **argv)                                  \
    {                                                                                                                  \
        nx_program(argc, argv, usage);                                                                                 \
    }                                                                                                                  \
    extern int main(int, char **)

#endif
