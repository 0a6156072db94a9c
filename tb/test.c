#include "test.h"

#include <libgen.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* A test or a test case, at its place in the sources. The order in which constructors run says nothing. */
typedef struct item {
    const char *file;
    int line;
    const TTest *test; /* NULL: a test case */
    test_options options;
    const char *name; /* of the case */
    char *suite;      /* its name, with the first item of a file */
    test_case_options of_case;
    TCase *tcase;
} item;

char test_name[128];

static item *items;
static int count;

static item *add(const char *file, int line)
{
    items = realloc(items, (size_t)(count + 1) * sizeof *items);
    if (!items) abort();
    items[count] = (item){.file = file, .line = line};
    return &items[count++];
}

void test_add(const TTest *test, test_options options)
{
    item *i = add(test->file, test->line);
    i->test = test;
    i->options = options;
}

void test_case_add(const char *name, const char *file, int line, test_case_options options)
{
    item *i = add(file, line);
    i->name = name;
    i->of_case = options;
}

int tests_begun;

void test_begins(const char *name, int i)
{
    tests_begun++;
    snprintf(test_name, sizeof test_name, "%s:%d", name, i);
}

static int by_place(const void *a, const void *b)
{
    const item *x = a, *y = b;
    int files = strcmp(x->file, y->file);
    return files ? files : x->line - y->line;
}

typedef struct cleanup {
    struct cleanup *before;
    void (*call)(void *what);
    void *what;
} cleanup;

static cleanup *last;

void after_test(void (*call)(void *what), void *what)
{
    cleanup *c = malloc(sizeof *c);
    if (!c) abort();
    *c = (cleanup){last, call, what};
    last = c;
}

void *test_memory(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory) abort();
    after_test(free, memory);
    return memory;
}

int long_form(void) { return getenv("LONG_FORM") != NULL; }

int long_runs(int few, int many)
{
    const char *count = getenv("COUNT");
    if (!long_form()) return few;
    return count && *count ? atoi(count) : many;
}

void clean_up(void)
{
    while (last) {
        cleanup c = *last;
        free(last);
        last = c.before;
        c.call(c.what);
    }
}

/* What its parent cannot stop any more, because somebody has killed that, does not go on: a test, for which a signal
 * that it may handle is not enough, and a program (scripts/run_tests.py). */
static void end_with_program(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    unsetenv("CK_XML_LOG_FILE_NAME"); /* the log of this program, open by now, and of none that the test starts */
}

/* When each test began, and when the last one ended: Check reports only how long good ones took. Its tests are forks of
 * the program. */
static FILE *starts;
static pid_t program;

static void test_forks(void)
{
    struct timespec now;
    if (!starts || getpid() != program) return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    fprintf(starts, "%ld.%06ld\n", (long)now.tv_sec, now.tv_nsec / 1000);
    fflush(starts);
}

static void note_starts(void)
{
    const char *path = getenv("TEST_STARTS");
    if (!path || !(starts = fopen(path, "we"))) return;
    program = getpid();
    unsetenv("TEST_STARTS");
    pthread_atfork(test_forks, NULL, NULL);
}

/* The name of a file without test_ and .c; the caller frees it. */
static char *stem(const char *path)
{
    char *copy = strdup(path), *name = basename(copy), *dot = strrchr(name, '.');
    if (dot) *dot = 0;
    name = strdup(strncmp(name, "test_", 5) ? name : name + 5);
    free(copy);
    return name;
}

static int says_nothing(const test_case_options *o) { return !o->timeout && !o->setup && !o->teardown; }

/* The case that an item opens: the one of that name in the same file, or a new one. */
static item *open_case(Suite *suite, item *i)
{
    for (item *earlier = items; earlier < i; earlier++)
        if (earlier->tcase && !strcmp(earlier->file, i->file) && !strcmp(earlier->name, i->name)) {
            if (says_nothing(&i->of_case)) return earlier;
            fprintf(stderr, "%s:%d: the test case %s has its options from line %d\n", i->file, i->line, i->name,
                    earlier->line);
            exit(2);
        }
    i->tcase = tcase_create(i->name);
    if (i->of_case.timeout) tcase_set_timeout(i->tcase, i->of_case.timeout * (long_form() ? 30 : 1));
    tcase_add_checked_fixture(i->tcase, end_with_program, clean_up);
    if (!says_nothing(&i->of_case)) tcase_add_checked_fixture(i->tcase, i->of_case.setup, i->of_case.teardown);
    suite_add_tcase(suite, i->tcase);
    return i;
}

static void print(const item *of_case, const item *i)
{
    const test_options *o = &i->options;
    const test_case_options *c = &of_case->of_case;
    printf("%s %s %d %d", of_case->name, i->test->name, o->from, o->to);
    if (c->timeout) printf(" timeout=%d", c->timeout);
    if (c->setup || c->teardown) printf(" fixtures=%d", (c->setup != NULL) + 2 * (c->teardown != NULL));
    if (o->exit) printf(" exit=%d", o->exit);
    if (o->signal) printf(" signal=%d", o->signal);
    printf("\n");
}

static void add_to(TCase *tcase, const item *i, int forks)
{
    const test_options *o = &i->options;
#ifdef __SANITIZE_ADDRESS__
    forks = 0;
#endif
    if (!o->signal) tcase_add_loop_exit_test(tcase, i->test, o->exit, o->from, o->to);
    else if (forks) tcase_add_loop_test_raise_signal(tcase, i->test, o->signal, o->from, o->to);
}

int main(int argc, char **argv)
{
    int list = argc == 2 && !strcmp(argv[1], "--list");
    if (argc > 1 && !list) {
        fprintf(stderr, "usage: %s [--list]      (CK_RUN_CASE=NAME runs one test case)\n", argv[0]);
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    /* Check cuts the text of a failure at BUFSIZ (8192), and its message with a head must fit, too. Not more: Check
     * moves all that is left in its buffer, twice this, with each message that it reads. */
    setenv("CK_MAX_MSG_SIZE", "16384", 0);
#ifdef __SANITIZE_THREAD__
    setenv("CK_TIMEOUT_MULTIPLIER", "20", 0);
#endif
    SRunner *runner = srunner_create(NULL);
    Suite *suite = NULL;
    item *of_case = NULL;
    qsort(items, (size_t)count, sizeof *items, by_place);
    for (item *i = items; i < items + count; i++) {
        if (i == items || strcmp(i->file, i[-1].file)) {
            i->suite = stem(i->file);
            suite = suite_create(i->suite);
            srunner_add_suite(runner, suite);
            of_case = NULL;
        }
        if (!i->test) {
            of_case = open_case(suite, i);
            continue;
        }
        if (!of_case) {
            i->name = i->suite; /* the first of its file */
            of_case = open_case(suite, i);
        }
        if (!i->options.from && !i->options.to) i->options.to = 1;
        if (list) print(of_case, i);
        else add_to(of_case->tcase, i, srunner_fork_status(runner) == CK_FORK);
    }
    if (list) return 0;
    note_starts();
    srunner_run_all(runner, CK_ENV);
    test_forks();
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    for (item *i = items; i < items + count; i++) free(i->suite);
    free(items);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
