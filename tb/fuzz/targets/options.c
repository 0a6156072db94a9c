/* The arguments of a program, one in each line, behind its name. */
#include <getopt.h>
#include <setjmp.h>
#include <string.h>

#include "sim/app/disk/disk_options.h"
#include "sim/app/nicxbar/options.h"
#include "sim/app/packet_mode/pm_options.h"
#include "sim/app/roce/roce_options.h"
#include "sim/app/roce/storage/roce_storage_options.h"
#include "tb/fuzz/targets/target.h"

enum { WORDS = 60 };
static jmp_buf refused;
static char error[2048];

static void keep(const char *text)
{
    snprintf(error, sizeof error, "%s", text);
    longjmp(refused, 1);
}

static int nicxbar(int argc, char **argv)
{
    static const sim_config plain = {.name = "nic", .parameters = ""},
                            paths = {.name = "nic_2paths", .parameters = "LINKS=2 BOND=1"},
                            links = {.name = "nic_2links", .parameters = "LINKS=2"},
                            crossbar = {.name = "crossbar", .parameters = "PORTS=8"};
    static const nic_kind others[] = {{"monitored", &plain}, {"2paths", &paths}, {"2links", &links}, {NULL, NULL}};
    static const program_chips chips = {&crossbar, &plain, others};
    program_options o;
    option_refused = keep;
    optind = 1;
    if (setjmp(refused)) return -1;
    program_read(&o, argc, argv, &chips);
    return 0;
}

static int packet_mode(int argc, char **argv)
{
    static const sim_config any = {.name = "pm", .parameters = "PORTS=16"}, *const a = &any;
    static const pm_architecture architectures[] = {{"sm", "", {a, a, a, a, a, a, a, a, a}},
                                                    {"dpm", "", {a, a, a, a, a, a, a, a, a}},
                                                    {"iq", "", {a, a, a, a, a, a, a, a, a}},
                                                    {0}};
    pm_options o;
    pm_run_params p;
    return pm_options_read(&o, argc, argv, architectures, &p, error);
}

static int disk(int argc, char **argv)
{
    disk_options o;
    return disk_options_read(&o, argc, argv, error);
}

static int roce(int argc, char **argv)
{
    static const sim_config chip = {.name = "roce_8_all", .parameters = "BYTES=8 NUM_QP=128"};
    static roce_setup setup;
    roce_options o;
    char words[ROCE_OPTIONS_WORDS];
    if (roce_options_read(&o, argc, argv, error) || roce_options_setup(&o, &chip, &setup, error)) return -1;
    roce_options_words(&o, &chip, words);
    return 0;
}

static int storage(int argc, char **argv)
{
    storage_options o;
    roce_storage_params p;
    return storage_options_read(&o, argc, argv, &p, error);
}

FUZZ(options)
{
    static const struct {
        const char *name;
        int (*read)(int argc, char **argv);
    } programs[] = {{"nicxbar-sim", nicxbar},
                    {"packet-mode", packet_mode},
                    {"disk", disk},
                    {"roce-sim", roce},
                    {"roce-storage", storage}};
    char *text = fuzz_text(data, size), *argv[WORDS + 1] = {NULL};
    int argc =
        strstr(text, "--he") || strstr(text, "help") ? 0 : fuzz_words(text, argv, WORDS); /* help ends the program */
    *error = '\0';
    for (unsigned i = 0; argc && i < sizeof programs / sizeof programs[0]; i++)
        if (!strcmp(argv[0], programs[i].name) && programs[i].read(argc, argv))
            CHECK(fuzz_is_line(error) &&
                  (!i || fuzz_is_refusal(error))); /* nicxbar-sim may name an option that is near */
    free(text);
}
