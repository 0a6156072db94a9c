/* Shared by options.c, options_files.c and options_links.c. */
#ifndef SIM_APP_NICXBAR_OPTIONS_PRIVATE_H
#define SIM_APP_NICXBAR_OPTIONS_PRIVATE_H

#include "sim/app/nicxbar/options.h"

enum { MOST_OPTIONS = 80 };

/* The command line: every option, and its value. */
struct program_line {
    unsigned count;
    struct {
        const option *o;
        unsigned runs;
        int given;
        const char *value; /* NULL: none */
    } at[MOST_OPTIONS];
};

/* 1 if the option is given. */
int program_given(const program_options *o, const char *name);
/* Prints an error and ends the program. */
void __attribute__((format(printf, 1, 2), noreturn)) program_refuse(const char *format, ...);
/* Checks the options of links, and reads their numbers (options_links.c). */
void program_check_links(program_options *o);

#endif
