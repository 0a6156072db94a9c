/* A request of make: goals and variables, and the combinations that are valid. */
#ifndef SIM_APP_LAUNCHER_REQUEST_H
#define SIM_APP_LAUNCHER_REQUEST_H

#include "sim/traffic/workload/option.h"

/* Goals, one bit each; those that take the same variables share one. */
enum {
    SIM = 1 << 0,
    CYCLES = 1 << 1,
    RUN = 1 << 2,
    SOAK = 1 << 3,
    PACKET_MODE = 1 << 4,
    ORACLE = 1 << 5,
    CROSSBAR = 1 << 6,
    SHARES = 1 << 7,
    CURVES = 1 << 8,
    FIGURES = 1 << 9,
    MICROBENCH = 1 << 10,
    DISK = 1 << 11,
    DISK_TEST = 1 << 12,
    DISK_BENCH = 1 << 13,
    INTEROP = 1 << 14,
    SPEED = 1 << 15,
    WAVE = 1 << 16,
    PAGES = 1 << 17,
    TEST = 1 << 18,
    CONTRACT = 1 << 19,
    COMPARE = 1 << 20,
    BLOCK = 1 << 21,
    KILL = 1 << 22,
    SYNTH = 1 << 23,
    PROVE = 1 << 24,
    DISTRO = 1 << 25,
    LINUX = 1 << 26,
    FUZZ = 1 << 27,
    OTHER = 1 << 28,
    FILES = 1 << 29, /* a file that make builds */
    HELP = 1 << 30,
    ANY = (1u << 31) - 1,
    BUILDS = 1u << 31, /* of a variable: it says how things are built, and the environment may set it */
    OF_SWITCHES = PACKET_MODE | ORACLE | CROSSBAR | SHARES | CURVES,
    OF_SYSTEMS = SIM | CYCLES | RUN | SOAK
};

typedef struct goal {
    const char *name;
    unsigned bit;
    const char *help, *example;
} goal;
extern const goal goals[]; /* behind the last: one without a name */

typedef struct renamed_goal {
    const char *old, *now;
} renamed_goal;
extern const renamed_goal renamed_goals[]; /* behind the last: one without a name */

/* Variables of make that are no options of a program, as a table of options: `runs` are the goals where they mean
 * something. */
extern const option variables[];
/* The row of that name, NULL: none. */
const option *variable_row(const char *name);

enum { MAKE_OF_SYSTEMS = 1 << 16 /* as in sim/app/nicxbar/options.c */ };
enum { MOST_GIVEN = 120, MOST_GOALS = 40, REQUEST_ERROR = 2400 };

typedef struct request {
    const char *goal[MOST_GOALS];
    unsigned goal_count, goals; /* bits */
    struct {
        const char *name, *value;
    } given[MOST_GIVEN];
    unsigned count;
    int nested;                /* make was started by make */
    char error[REQUEST_ERROR]; /* "": nothing is wrong */
} request;

/* Goals with blanks between them; variables as they are in MAKEFLAGS behind " -- ": blanks behind a backslash, $
 * doubled. Keeps and alters both texts. 0, or -1 (error). */
int request_read(request *r, char *goal_names, char *variable_texts);
/* The value; "": not given, or empty. */
const char *value_of(const request *r, const char *name);
int has(const request *r, const char *name); /* not empty */
int has_goal(const request *r, const char *name);
int is(const request *r, const char *name, const char *value);
/* The entry of `given`, -1: none. */
int entry_of(const request *r, const char *name);

/* Everything that can be known without models: 0, or -1 with the first thing that is wrong, in one line. */
int request_check(request *r);
/* Parts of it (rules.c, programs.c). */
int request_rules(request *r);
int request_program(request *r);

/* What programs have for variables: the row of the table that a variable of this name has for these goals; NULL: none.
 * goal_bits: in which goals any table has it. */
const option *program_row(const request *r, const char *name, unsigned *goal_bits);
/* What has to be given for a variable of programs that are chosen by another one. */
const char *program_needs(const char *name);
/* The programs' tables, one after the other: the n-th, or NULL. */
typedef struct program_table {
    const char *name, *head; /* of the program */
    const option *rows[3];
    unsigned make;      /* bit of `runs` of options that are variables, 0: all are */
    unsigned variables; /* goals whose variables they are */
} program_table;
extern const program_table program_tables[];

/* The system that is asked for. */
unsigned links_of(const request *r), nodes_of(const request *r);
int is_direct(const request *r), is_by_packet(const request *r);
/* The name that --nic gets, "": none. */
const char *nic_of_request(const request *r);
/* Slots: the n-th line of scripts/slots; 0: there is none. */
int slot_row(unsigned n, const char **variable, const char **module);

/* Of the words of a list (NULL behind the last) those nearest to `word`, three at most, with commas between, into text.
 * Near is what takes few letters changed, or what begins or goes on as the word does. Returns the distance of the
 * nearest. */
double nearest(const char *word, const char *const list[], char *text, size_t size);
/* Adds the nearest of "a, b or c" to the error, if one is near. */
void add_nearest(request *r, const char *value, const char *expected);
/* "X=value: text" into r->error; -1. */
int __attribute__((format(printf, 4, 5)))
complain(request *r, const char *name, const char *value, const char *format, ...);

/* Help by subject, a table for a README, completion for bash. 0, or -1: there is no such subject. */
int help_subject(const char *subject);
/* Classes of faults of "nic", "roce" or "disk"; NULL: of all. */
void help_faults(const char *system);
int help_markdown(const char *program);
void help_completion(void);
void help_goals(void);
void help_all(void);

#endif
