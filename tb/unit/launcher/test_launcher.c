/* build/nicxbar: every rule of sim/app/launcher/rules.c once refused and once accepted; names and values that are near;
 * what make gets. */
#include "shell.h"
#include "test.h"

#include <string.h>

TEST_CASE("launcher", .timeout = 60, .teardown = shell_clean);

/* A refused command, the message, and a similar one that is accepted (NULL: in another row). */
static const struct {
    const char *refused, *message, *accepted;
} rows[] = {
    {"sim LANES=2", "LANES=2: expected 1, 4, 8 or 16", "sim NODES=8 LANES=4"},
    {"sim FILE=/none", "FILE=/none: no such file, no regular file, or it cannot be read", "sim FILE=/etc/passwd"},
    {"sim OUT=/dev/null/x",
     "OUT=/dev/null/x: expected a folder, or a name that one can have: it cannot be made or written", "sim OUT=build"},
    {"sim WAVES=0 WAVE_FROM=5us", "WAVE_FROM=5us: expected without WAVES=0", "sim WAVES=1 WAVE_FROM=5us"},
    {"sim WAVES=0 WAVE_TO=5us", "WAVE_TO=5us: expected without WAVES=0", "sim WAVE_TO=5us"},
    {"sim WAVES=0 WAVE_BEFORE=5us", "WAVE_BEFORE=5us: expected without WAVES=0",
     "sim WAVE_FROM='nic0.a == 1' WAVE_BEFORE=5us"},
    {"sim WAVES=0 WAVE_SIZE=5M", "WAVE_SIZE=5M: expected without WAVES=0", "sim WAVE_SIZE=5M"},
    {"sim STORAGE=1", "STORAGE=1: means something with CHIP=roce only", "sim CHIP=roce STORAGE=1"},
    {"sim CHIP=roce GUEST=uml", "GUEST=uml: means something with PEER=rxe only", "sim CHIP=roce PEER=rxe GUEST=uml"},
    {"sim CHIP=roce LANES=4", "LANES=4: means nothing with CHIP=roce", NULL},
    {"sim CHIP=roce FILE=/etc/passwd", "FILE=/etc/passwd: means nothing with CHIP=roce", NULL},
    {"sim CHIP=roce NODES=4", "NODES=4: means nothing with CHIP=roce", "sim CHIP=roce QPS=4"},
    {"sim CHIP=roce SWITCH=0", "SWITCH=0: means nothing with CHIP=roce", NULL},
    {"sim CHIP=roce SWITCHES=0", "SWITCHES=0: means nothing with CHIP=roce", NULL},
    {"sim CHIP=roce LINKS=2", "LINKS=2: means nothing with CHIP=roce", NULL},
    {"sim CHIP=roce BOND=byte", "BOND=byte: means nothing with CHIP=roce", NULL},
    {"sim NODE=foo", "NODE=foo: expected coherent or mixed", "sim NODE=mixed NODES=4 SCENARIO=queue"},
    {"sim NI=update", "NI=update: means something with NODE=coherent or mixed only", "sim NODE=coherent NI=update"},
    {"sim SEND=doorbell", "SEND=doorbell: means something with NODE=coherent or mixed only",
     "sim NODE=coherent SEND=doorbell"},
    {"sim CACHE_KB=8", "CACHE_KB=8: means something with NODE=coherent or mixed only", "sim NODE=coherent CACHE_KB=8"},
    {"sim NODE=coherent NI=upd", "NI=upd: expected uncached, memory, update or allocate", NULL},
    {"sim NODE=coherent SEND=x", "SEND=x: expected cachable, doorbell or uncached", NULL},
    {"sim NODE=coherent CACHE_KB=5", "CACHE_KB=5: expected 4, 8, 16 or 32", "cycles NODE=coherent CACHE_KB=32 WAYS=1"},
    {"sim NODE=coherent WAYS=3", "WAYS=3: expected 1 or 2", NULL},
    {"sim NODE=coherent RATIO=5", "RATIO=5: expected 1, 2, 3 or 4", "sim NODE=coherent RATIO=4"},
    {"sim NODE=coherent MESSAGE=12", "MESSAGE=12: expected a multiple of 8, 8 to 512 bytes",
     "sim NODE=coherent MESSAGE=512"},
    {"sim NODE=coherent MESSAGE=520", "MESSAGE=520: expected a multiple of 8, 8 to 512 bytes", NULL},
    {"sim NODE=coherent SCENARIO=uniform", "SCENARIO=uniform: expected one of pingpong, stream, queue, barrier",
     "sim NODE=coherent SCENARIO=stream"},
    {"sim NODE=coherent SCENARIO=barrier MESSAGE=8", "MESSAGE=8: expected none with scenario barrier", NULL},
    {"sim NODE=coherent ROUNDS=0", "ROUNDS=0: expected a number of rounds, 1 to 1000000", "sim NODE=coherent ROUNDS=9"},
    {"sim NODE=coherent LINKS=2", "LINKS=2: expected 1: a coherent node has one link", "sim NODE=coherent LINKS=1"},
    {"sim NODE=coherent CHIP=roce", "CHIP=roce: means nothing with NODE=coherent", NULL},
    {"sim NODE=coherent FILE=/etc/passwd", "FILE=/etc/passwd: means nothing with NODE=coherent", NULL},
    {"sim NODE=coherent LANES=4", "LANES=4: means nothing with NODE=coherent", NULL},
    {"sim NODE=coherent BOND=byte", "BOND=byte: means nothing with NODE=coherent", NULL},
    {"sim NODE=coherent SWITCH=0",
     "SWITCH=0: means nothing with NODE=coherent: two nodes and a cable, or NODES=n around a switch", NULL},
    {"sim NODE=coherent SWITCHES=1", "SWITCHES=1: means nothing with NODE=coherent", NULL},
    {"sim NODE=coherent PCI_MHZ=66", "PCI_MHZ=66: means nothing with NODE=coherent", NULL},
    {"sim NODE=mixed LOAD=0.5", "LOAD=0.5: means nothing with NODE=mixed", NULL},
    {"sim NODE=coherent NODES=9 SCENARIO=queue", "NODES=9: expected 2 to 8 with NODE=coherent, the ports of the switch",
     "sim NODE=coherent NODES=8 SCENARIO=queue"},
    {"sim NODE=coherent SCENARIO=litmus NI=uncached",
     "NI=uncached: expected NI=memory, update or allocate with scenario litmus", "sim NODE=coherent"},
    {"soak NODE=mixed", "NODE=mixed: make soak expects coherent: tests of the coherent node in their long form",
     "soak NODE=coherent SEED=5"},
    {"soak NODE=coherent NODES=4", "NODES=4: means nothing for make soak NODE=coherent, which is tests", NULL},
    {"soak NODE=coherent SCENARIO=queue", "SCENARIO=queue: means nothing for make soak NODE=coherent", NULL},
    {"soak NODE=coherent PACKETS=4", "PACKETS=4: means nothing for make soak NODE=coherent, which is tests", NULL},
    {"cycles TEST=tb/unit/voq NODE=coherent", "NODE=coherent: expected without TEST: a test makes its own system",
     "cycles NODE=coherent SORT=busy"},
    {"soak CHIP=roce STORAGE=1", "STORAGE=1: expected without make soak", "soak CHIP=roce BYTES=64 PACKETS=50000"},
    {"cycles CHIP=roce FIGURES=all", "FIGURES=all: expected without make cycles", "sim CHIP=roce FIGURES=all"},
    {"cycles CHIP=roce PEER=roce", "PEER=roce: expected without make cycles", "sim CHIP=roce PEER=roce QPS=127"},
    {"cycles TEST=tb/unit/voq FILE=/etc/passwd", "FILE=/etc/passwd: expected without TEST: a test makes its own system",
     NULL},
    {"cycles TEST=tb/unit/voq NODES=4", "NODES=4: expected without TEST: a test makes its own system",
     "cycles TEST=tb/unit/voq SORT=busy"},
    {"cycles TEST=tb/unit/voq SWITCH=0", "SWITCH=0: expected without TEST: a test makes its own system",
     "cycles SWITCH=0"},
    {"cycles TEST=tb/unit/voq SWITCHES=0", "SWITCHES=0: expected without TEST: a test makes its own system", NULL},
    {"cycles TEST=tb/unit/voq LINKS=2", "LINKS=2: expected without TEST: a test makes its own system", NULL},
    {"cycles TEST=tb/unit/voq BOND=byte", "BOND=byte: expected without TEST: a test makes its own system", NULL},
    {"soak SWITCH=0", "SWITCH=0: means nothing for make soak: two NICs and a cable, or NODES=n", "soak"},
    {"soak NODES=4 MEASURE=9", "MEASURE=9: expected PACKETS: a soak's length is a number of packets",
     "soak NODES=4 PACKETS=9 LOAD=0.3"},
    {"soak SCENARIO=uniform", "SCENARIO=uniform: expected together with NODES=n, a soak around a switch",
     "soak NODES=4 SCENARIO=uniform"},
    {"soak WAVE_BEFORE=5us", "WAVE_BEFORE=5us: expected together with NODES=n, a soak around a switch",
     "soak WAVE_FROM=5us WAVE_TO=9us"},
    {"soak NIC=1voq", "NIC=1voq: expected together with NODES=n, a soak around a switch", "soak NODES=4 NIC=1voq"},
    {"sim BOND=byte SWITCHES=0", "BOND=byte: expected together with LINKS=2 or 4", "sim LINKS=2 BOND=byte SWITCHES=0"},
    {"sim LINKS=2 BOND=byte", "BOND=byte: expected with SWITCHES=0: links by byte do not pass a switch (S2 2.4)",
     "sim LINKS=2 BOND=packet"},
    {"sim LINKS=4 SWITCHES=2", "SWITCHES=2: expected 4, one for each link of a node, or 0 (two nodes and a cable)",
     "sim LINKS=4 SWITCHES=4"},
    {"sim SWITCHES=2", "SWITCHES=2: expected 1, or 0 (two nodes and a cable)", "sim SWITCHES=1"},
    {"soak NODES=4 LINKS=2 SWITCHES=0", "SWITCHES=0: expected another number with NODES",
     "soak NODES=4 LINKS=2 SWITCHES=2"},
    {"sim SWITCH=0 NODES=3", "NODES=3: expected 2 without a switch: two nodes and a cable", "sim SWITCH=0 NODES=2"},
    {"sim LINKS=2 NODES=9", "NODES=9: expected 2 to 8 with LINKS=2, as many as the ports of these switches",
     "sim LINKS=2 NODES=8"},
    {"sim LINKS=2 RANKS=2", "RANKS=2: expected none with LINKS=2", "sim RANKS=2"},
    {"soak RANKS=2", "RANKS=2: expected together with NODES=n, a soak around a switch", "soak NODES=4 RANKS=2"},
    {"sim RANKS=2 WAVES=1", "WAVES=1: expected with RANKS names of what one rank has, such as WAVES=node1",
     "sim RANKS=2 WAVES=node1"},
    {"sim LINKS=2 SWITCH=traced", "SWITCH=traced: expected 1, without tracing memories, with LINKS=2",
     "sim SWITCH=traced"},
    {"sim NODES=9 SWITCH=traced", "SWITCH=traced: expected with NODES up to 8; NODES=9 has a switch without tracing",
     "sim NODES=8 SWITCH=traced"},
    {"disk SWITCH=0", "SWITCH=0: means nothing for make disk: 2 to 4 hosts around a switch", NULL},
    {"linux SWITCH=0", "SWITCH=0: means nothing for make linux: 2 to 8 hosts around a switch", NULL},
    {"linux NODES=9", "NODES=9: expected 2 to 8, the ports of the switch", "linux NODES=8"},
    {"linux RUN=true CONSOLE=1", "RUN=true: expected no workload and no console with it", "linux CONSOLE=1 SKIP=0"},
    {"linux WORKLOAD=nope", "WORKLOAD=nope: expected a file of scripts/linux/jobs, such as s1", "linux WORKLOAD=rates"},
    {"linux WORKLOAD=s1 FS=xfs", "FS=xfs: expected ext4 or reiserfs", "linux WORKLOAD=s1 FS=reiserfs SCALE=4"},
    {"sim LINKS=2 NIC=1voq", "NIC=1voq: expected default or monitored with links by packet (both have 4splits)",
     "sim LINKS=2 NIC=default"},
    {"sim LINKS=2 SWITCHES=0 BOND=byte NIC=1voq", "NIC=1voq: expected default, 4splits or monitored with BOND=byte",
     "sim LINKS=2 SWITCHES=0 BOND=byte NIC=4splits"},
    {"speed NODES=3", "NODES=3: make speed expects one of 2, 4, 8, 16", "speed NODES=8"},
    {"cycles THRESHOLD=2", "THRESHOLD=2: expected together with BASE=file, an older result of make cycles", NULL},
    {"cycles BASE=Makefile", "BASE=Makefile: expected a cycles.json that make cycles of this version has written",
     "speed BASE=HEAD"},
    {"block FROM=x.v FOLDER=rtl/nic/voq",
     "FOLDER=rtl/nic/voq: expected without FROM, which is copied to where its test is",
     "block NAME=x FOLDER=rtl/nic/voq"},
    {"mutants TARGET=plan", "TARGET=plan: means something for make fuzz only", "fuzz TARGET=plan"},
    {"fuzz COUNT=4", "COUNT=4: means something for make mutants and life only", "mutants COUNT=4"},
    {"life SECONDS=9", "SECONDS=9: means something for make fuzz and mutants only", "fuzz SECONDS=9"},
    {"life QUICK=1", "QUICK=1: means nothing for make life", "mutants QUICK=1"},
    {"life TARGET=plan", "TARGET=plan: means something for make fuzz only", "life COUNT=4 SEED=9"},
    {"fuzz QUICK=1", "QUICK=1: means nothing for make fuzz", "mutants QUICK=1 MODULE=counter_bank SECONDS=9"},
    {"test BASE=old.json", "BASE=old.json: means something for make cycles, coverage and speed only",
     "coverage TEST=tb/unit/link MODULE=link_tx BASE=old.json"},
    {"coverage CASE=link", "CASE=link: means nothing for make coverage", "test CASE=link"},
    {"coverage REPORT=tap", "REPORT=tap: means nothing for make coverage", "test REPORT=tap"},
    {"coverage SANITIZE=thread", "SANITIZE=thread: means nothing for make coverage", "sanitize SANITIZE=thread"},
    {"coverage WAVES=1", "WAVES=1: means nothing for make coverage", "test WAVES=1"},
    {"coverage TIMES=1", "TIMES=1: means nothing for make coverage", "test TIMES=1"},
    {"block NAME=x MODULE=y", "MODULE=y: expected together with FROM=file.v", "block FROM=x.v MODULE=y"},
    {"block NAME=x PARAMETERS=A=1", "PARAMETERS=A=1: expected together with FROM=file.v",
     "block FROM=x.v PARAMETERS=A=1"},
    {"sim DOC=1", "DOC=1: means something for make figures, synth, prove, distro and sim CHIP=roce FIGURES=all only",
     "synth DOC=1"},
    {"interop RECORD=2", "RECORD=2: expected 1: record the packets of tb/unit/roce again", "interop RECORD=1"},
    {"interop RECORD=1 BYTES=64", "BYTES=64: means nothing with RECORD=1, which is without the chip",
     "interop BYTES=64"},
    {"shares ARCH=iq", "ARCH=iq: make shares expects sm, ppm, dpm or vps", "shares ARCH=sm"},
    {"packet-mode PORTS=007", "PORTS=007: expected a number of ports, 2 to 16", "packet-mode PORTS=7"},
    {"packet-mode-crossbar LOAD=0.95", "LOAD=0.95: expected 0.9 at most: above it the backlog would grow",
     "packet-mode-crossbar LOAD=0.8"},
    {"packet-mode-crossbar CLOCKS=19999", "CLOCKS=19999: expected a number of clocks, 20000 to 100000000",
     "packet-mode-crossbar CLOCKS=20000"},
    {"shares CLOCKS=19999", "CLOCKS=19999: expected a number of clocks, 20000 to 1000000000", "shares CLOCKS=20000"},
    {"contract SLOT=crosspoint CLOCKS=x", "CLOCKS=x: expected a number: the least clocks per size",
     "contract SLOT=crosspoint CLOCKS=9"},
    {"packet-mode-oracle PACKETS=0", "PACKETS=0: expected packets of a run, 1 to 10000000",
     "packet-mode-oracle PACKETS=9 SEEDS=2"},
    {"packet-mode ARCH=iq PM_LOCKS=pm_locks", "PM_LOCKS=pm_locks: ARCH=iq has no such slot; expected one of PM_MATCHER",
     "packet-mode PM_LOCKS=x"},
    {"distro lint RELEASE=sid", "make distro: expected alone", "distro RELEASE=sid"},
    {"distro REMOVE=1", "RELEASE=: expected a release of Debian", NULL},
    {"block lint NAME=x", "make block: expected alone", NULL},
    {"block FOLDER=rtl/nic/voq", "make block: expected NAME=name, of a new module, or FROM=file.v", NULL},
    {"run PROGRAM=pingpon", "expected one of latency nxlatency nxsample", "run PROGRAM=pingpong"},
    {"prove PROOF='locks lock5'", "PROOF=lock5: expected one of locks input output ", "prove PROOF='locks *-room'"},
    {"contract SLOT=crosspont", "; the nearest: crosspoint", "contract SLOT=crosspoint"},
    {"curves FIGURE=fig9", "FIGURE=fig9: expected one of fig6", "curves FIGURE=fig8"},
    /* names, values, goals */
    {"sim SCENARIO=unifrm", "or counter; the nearest: uniform", "sim SCENARIO=uniform"},
    {"sim SCENARIO=uniform LOAD=abc", "LOAD=abc: expected a part of the link's rate, 0.001 to 2",
     "sim SCENARIO=uniform LOAD=0.8"},
    {"sim MEMORY=foo", "MEMORY=foo: expected zbt, sdram or ddr", "sim MEMORY=sdram"},
    {"sim SEED=010", "SEED=010: expected a number, such as SEED=7", "sim SEED=0x10"},
    {"sim WAVE_SIZE=0x8M", "WAVE_SIZE=0x8M: expected a size of 4M or more", NULL},
    {"sim NODES=2 NODE_IDS=+1,2", "NODE_IDS=+1,2: expected 2 numbers of 0..127", "sim NODES=2 NODE_IDS=1,2"},
    {"packet-mode SIZES=+5..64", "SIZES=+5..64: expected bimodal, uniform, constant, or words",
     "packet-mode SIZES=5..64"},
    {"packet-mode PATTERN=zipf/1e1", "PATTERN=zipf/1e1: expected zipf/K with K from 0 to 20",
     "packet-mode PATTERN=zipf/1.5"},
    {"microbench BENCHMARK=pcix MESSAGE_SIZES=+8", "MESSAGE_SIZES=+8: expected FIRST..LAST",
     "microbench MESSAGE_SIZES=8..64,24"},
    {"sim LAOD=0.5", "unknown variable LAOD; the nearest to LAOD: LOAD;", NULL},
    {"smi NODES=2", "smi: no such goal; the nearest to smi: sim;", NULL},
    {"blockdev IMAGE=x", "blockdev: is called make disk now", NULL},
    {"sim SCENARIO=uniform HOT=2", "SCENARIO=uniform: expected hot-spot where a hot node is named",
     "sim SCENARIO=hot-spot HOT=2"},
    {"sim SCENARIO=uniform FAULTS=", "FAULTS=: expected a plan", "sim FAULTS=help"},
    {"lint sim FAULTS=help", "FAULTS=help: expected one goal", "disk FAULTS=help"},
    {"sim FAULTS='cut node9 at 20us for 5us'", "column 5: 'node9', expected", "sim FAULTS='cut node1 at 20us for 5us'"},
    {"disk FAULT='crash target at 8ms'", "FAULT=crash target at 8ms: is said so now: FAULTS='",
     "disk FAULTS='crash target at 8ms'"},
    {"sim FAULTS='cutt node1 at 20us for 5us'", "retry, parity, completion; the nearest: cut", NULL},
    {"sim CHIP=roce FAULTS='lose nobody 17'", "column 6: 'nobody', expected chip, peer or line",
     "sim CHIP=roce FAULTS='lose line 17'"},
    {"soak FAULTS='completion host0 missing every 3 reads'", "expected none that costs transfers before they leave",
     "soak FAULTS='retry host0 write 30%'"},
    {"sim CHIP=roce MIX=sned", "MIX=sned: expected some of send-in, send-out, send, write, read",
     "sim CHIP=roce MIX=send"},
    {"sim CHIP=roce PEER=roce MIX=write", "MIX=write: expected SENDs alone with peer roce", NULL},
    {"sim CHIP=roce PEER=rxe DEPTH=4", "DEPTH=4: expected without peer rxe", NULL},
    {"sim CHIP=roce BYTES=16", "BYTES=16: expected 8 or 64", "sim CHIP=roce BYTES=64"},
    {"microbench LINKS=4", "LINKS=4: expected 1, or 2: the pair of links by byte of S1 and S4",
     "microbench LINKS=2 BENCHMARK=throughput"},
    {"microbench BENCHMARK=latency MESSAGE_SIZES=8", "MESSAGE_SIZES=8: means nothing for make microbench latency",
     "microbench BENCHMARK=pcix MESSAGE_SIZES=8..512"},
    {"sim SCENARIO=uniform RUN=true", "RUN=true: means something for make disk and linux only", "disk RUN=true"},
    {"sim TRACES=5", "TRACES=5: means something for make test, sanitize and coverage only", "test TRACES=5"},
    {"packet-mode ARRIVALS=instant LOAD=0.96", "LOAD=0.96: expected 0.95 at most with ARRIVALS=instant",
     "packet-mode ARRIVALS=instant LOAD=0.9"},
};

/* A line for each command, with its number as its place. */
static void put_commands(int refused)
{
    static char text[32768];
    *text = '\0';
    for (int i = 0; i < COUNT(rows); i++)
        if (refused || rows[i].accepted)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%d: make %s\n", i,
                     refused ? rows[i].refused : rows[i].accepted);
    shell_put("commands", text);
}

TEST(what_does_not_go_together_is_refused)
{
    put_commands(1);
    ck_assert_int_eq(shell_says("build/nicxbar commands <$D/commands"), 1);
    const char *at = shell_output;
    for (int i = 0; i < COUNT(rows); i++) {
        char head[400];
        snprintf(head, sizeof head, "%d: make %s\n", i, rows[i].refused);
        const char *found = strstr(at, head);
        ck_assert_msg(found != NULL, "accepted: %s", rows[i].refused);
        const char *says = found + strlen(head), *end = strchr(says, '\n');
        ck_assert_msg(end && strstr(says, rows[i].message) && strstr(says, rows[i].message) < end,
                      "%s: expected %s in %.*s", rows[i].refused, rows[i].message, (int)(end - says), says);
        at = end;
    }
}

TEST(what_goes_together_is_accepted)
{
    put_commands(0);
    ck_assert_int_eq(shell_says("build/nicxbar commands <$D/commands"), 0);
    ck_assert_str_eq(shell_output, "");
}

/* However many there are. */
TEST(the_last_of_many_proofs_is_accepted)
{
    ck_shell_says(
        0, "",
        "here=$PWD && mkdir -p $D/tb/proofs && cd $D && seq 500 | sed 's/.*/holds p& prove_p/' >tb/proofs/proofs &&"
        " echo '0: make prove PROOF=p500' | $here/build/nicxbar commands");
    ck_assert_str_eq(shell_output, "");
}

/* A rule without a row above is a rule that may never refuse. */
TEST(every_rule_has_a_row)
{
    put_commands(1);
    shell_says("build/nicxbar commands <$D/commands >$D/says; sed -n 's/^    {\"\\([A-Z_]*\\)\", [a-z_0-9]*, "
               "*\"\\([^\"$\\\\]*\\).*/\\1=\\t\\2/p' "
               "sim/app/launcher/rules.c | while IFS='\t' read -r v text; do grep -F \": $text\" $D/says | grep -q \"^ "
               "   $v\" || echo "
               "\"$v$text\"; "
               "done");
    ck_assert_str_eq(shell_output, "");
}

TEST(help_names_goals_and_variables)
{
    ck_shell_says(0, "  make sim          run a system on real traffic", "build/nicxbar help");
    ck_shell_says(0, "  SCENARIO=NAME ", "build/nicxbar help SIM");
    ck_output_has("  NODES=N ");
    ck_output_lacks("  IMAGE=");
    ck_shell_says(0, "disk:\n  IMAGE=FILE ", "build/nicxbar help image");
    ck_shell_says(2, "no such goal or variable; the nearest: sim", "build/nicxbar help smi");
    ck_shell_says(0, "| `--load L` | `LOAD` | ", "build/nicxbar markdown packet-mode");
    ck_shell_says(
        0, "NODES= NODE_IDS= \n",
        "build/nicxbar completion bash >$D/c && bash -c '. $D/c; COMP_WORDS=(make NODE); COMP_CWORD=1; "
        "compopt() { :; }; _nicxbar_make; printf \"%%s \" $(printf \"%%s\\n\" \"${COMPREPLY[@]}\" | sort -u); echo'");
}

/* As make hands them on: blanks behind backslashes, dollars doubled. */
#define B "\xe2\x90\xa3"

TEST(values_arrive_unharmed)
{
    shell_put("raw", "RUN=true\\ \"$$uri\"\\ x;\\ a='b'\\ \\\\#1");
    ck_shell_says(0, "--RUN=--run" B "'true" B "\"$uri\"" B "x;" B "a='\\''b'\\''" B "\\#1' ",
                  "build/nicxbar make disk \"$(cat $D/raw) OUT=$D\"");
    ck_output_has("program=nicxbar-sim ");
    ck_shell_says(0, "program=nicxbar-sim8-traced ", "build/nicxbar make sim 'NODES=7 SWITCH=traced'");
    ck_shell_says(0, "program=nicxbar-sim8-links ", "build/nicxbar make sim 'NODES=7 LINKS=2'");
    ck_output_has(" --NIC=--nic" B "'2paths' ");
    ck_shell_says(0, "program=nicxbar-sim-bundle ", "build/nicxbar make sim 'LINKS=2 SWITCHES=0 BOND=byte'");
    ck_shell_says(0, "needs=build" B "rxe ", "build/nicxbar make sim 'CHIP=roce PEER=rxe'");
    ck_output_has("program=roce-sim ");
}
