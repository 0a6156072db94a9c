/* Tests without ceremony: a test that is defined is registered, and main() of every test program is in test.c.
 *
 *     #include "test.h"
 *
 *     TEST_CASE("rules", .timeout = 120, .setup = set_up, .teardown = tear_down);
 *
 *     TEST(a_word_arrives_whole)
 *     {
 *         ck_assert_uint_eq(...);
 *     }
 *
 *     TEST(every_setting_works, .to = COUNT(settings))
 *     {
 *         ... settings[_i] ...
 *     }
 *
 * Tests run in the order of the file, each in a process of its own. A test belongs to the last TEST_CASE above it in
 * its file; before the first one to the case that is called like the file without test_ and .c, with Check's own
 * timeout. A case may be taken up again further down by its name alone. The program makes a suite of each file with
 * tests in it, so benches may bring tests of their own.
 *
 * PROGRAM --list prints what there is, a line for each test: CASE TEST FROM TO, then timeout, fixtures, exit and signal
 * if there are any.
 */
#ifndef TB_TEST_H
#define TB_TEST_H

#include <check.h>
#include <signal.h>

/* RUNS("PROGRAM"): the test starts another program, this one below build/, which is built for it (scripts/programs.py).
 */
#define RUNS(program) _Static_assert(sizeof(program) > 1, "the name of a program")

/* Elements of an array, as int. */
#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* What may be said of a test; without any of it, it runs once with _i = 0 and ends by returning. */
typedef struct test_options {
    int from, to; /* it runs for each _i of from .. to - 1; an empty range other than 0 .. 0 means not at all */
    int exit;     /* it must end by exit(exit); 1 is also what a failing check gives */
    int signal;   /* it must end by this signal; left out without processes of their own and under a sanitizer */
} test_options;

/* What may be said of a test case. */
typedef struct test_case_options {
    int timeout;            /* [s] for each test; 0 = Check's own (CK_DEFAULT_TIMEOUT) */
    void (*setup)(void);    /* before each test and in its process; NULL = nothing */
    void (*teardown)(void); /* after it */
} test_case_options;

/* Options may be calls; they are evaluated before main(). */
#define TEST(name, ...)                                                                                                \
    static void name##_body(int _i);                                                                                   \
    static void name##_test(int _i)                                                                                    \
    {                                                                                                                  \
        test_begins(#name, _i);                                                                                        \
        name##_body(_i);                                                                                               \
    }                                                                                                                  \
    __attribute__((constructor)) static void name##_register(void)                                                     \
    {                                                                                                                  \
        static const TTest test = {#name, name##_test, __FILE__, __LINE__};                                            \
        test_add(&test, (test_options){__VA_ARGS__});                                                                  \
    }                                                                                                                  \
    static void name##_body(__attribute__((unused)) int _i)

#define TEST_CASE(name, ...) TEST_CASE_AT(__LINE__, name, __VA_ARGS__)
#define TEST_CASE_AT(line, name, ...) TEST_CASE_NAMED(line, name, __VA_ARGS__)
#define TEST_CASE_NAMED(line, name, ...)                                                                               \
    __attribute__((constructor)) static void test_case_##line(void)                                                    \
    {                                                                                                                  \
        test_case_add(name, __FILE__, line, (test_case_options){__VA_ARGS__});                                         \
    }                                                                                                                  \
    _Static_assert(1, "a declaration to end with a semicolon")

/* Called after the test and the teardown of its case, the last one first: what a bench has made goes by itself, and
 * what it checks at its end is checked. A test that has failed in a process of its own ends at once, without them. */
void after_test(void (*call)(void *what), void *what);
/* CLEANUP(host_free); makes the function host_free_cleanup for after_test. */
#define CLEANUP(function)                                                                                              \
    static void function##_cleanup(void *what) { function(what); }                                                     \
    _Static_assert(1, "a declaration to end with a semicolon")
/* Memory of zeros that goes after the test. */
void *test_memory(size_t size);
/* The test that runs, NAME:_i. */
extern char test_name[128];
/* 1: make soak or make life wants all cases of a test of which make test takes some, by the seed. Timeouts are 30 times
 * as long then. Tests of the RoCE chip that say this are found by it: TEST(all_of_them, .to = long_form() ? COUNT(all)
 * : 3). */
int long_form(void);
/* How many runs of a test with a long form: few, or then many, or what COUNT says. */
int long_runs(int few, int many);
/* Does at once what would be done after the test: between the rounds of a test that makes many benches. */
void clean_up(void);

/* Check keeps a message for each assertion that holds, with a system call, and reads them at the end, moving its buffer
 * for each. So each place in a test is reported once. By thread: groups of a simulation may run in several. */
#define _mark_point(file, line)                                                                                        \
    ({                                                                                                                 \
        static _Thread_local int marked;                                                                               \
        if (marked != tests_begun) marked = tests_begun, (_mark_point)(file, line);                                    \
    })
extern int tests_begun;
/* An assertion for what runs in every clock and reports nothing. */
#define ck_must(condition, ...)                                                                                        \
    do {                                                                                                               \
        if (!(condition)) ck_abort_msg(__VA_ARGS__);                                                                   \
    } while (0)

/* A test is registered where it is defined, or not at all. */
#undef START_TEST

/* For the macros above. */
void test_add(const TTest *test, test_options options);
void test_case_add(const char *name, const char *file, int line, test_case_options options);
void test_begins(const char *name, int i);

#endif
