#!/usr/bin/env python3
"""Prints a C++ program that gives a model a recording of pins (sim/core/kernel/pins.c) and compares what comes out.

    tb/system/replay_pins.py VNAME RECORDING >main.cc        main.cc then reads the recording

It ends with 0 and prints the number of steps, or with 1 at the first output that differs. All registers start at 0.
With an argument it prints the recording with outputs behind the inputs, which are all that there was.
"""
import sys

model, recording = sys.argv[1:]
ports = {'clock': [], 'input': [], 'output': []}
with open(recording) as f:
    for line in f:
        kind, *words = line.split()
        if kind == 'edges':
            break
        if kind in ports:
            ports[kind].append(words[0])
print(f'''#include "{model}.h"
#include "verilated.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
// A value of 64 bits at most, or words in hexadecimal, the highest first.
unsigned long long number(const char *hex) {{ return std::strtoull(hex, nullptr, 16); }}
template <class T> void put(T &to, const char *hex) {{ to = number(hex); }}
template <size_t N> void put(VlWide<N> &to, const char *hex)
{{
    for (size_t w = N; w--; hex += 8) to[w] = number(std::string(hex, 8).c_str());
}}
template <class T> bool same(const T &is, const char *hex)
{{
    T other;
    put(other, hex);
    return !memcmp(&is, &other, sizeof is);
}}
template <class T> void show(const T &is) {{ printf(" %llx", (unsigned long long)is); }}
template <size_t N> void show(const VlWide<N> &is)
{{
    putchar(' ');
    for (size_t w = N; w--;) printf("%08x", is[w]);
}}
extern "C" FILE *sim_model_fopen(const char *path, const char *mode) {{ return fopen(path, mode); }}
void vl_fatal(const char *file, int line, const char *, const char *text)
{{
    printf("%s:%d: %s\\n", file, line, text);
    exit(1);
}}
void vl_warn(const char *, int, const char *, const char *) {{}}
int main(int argc, char **)
{{
    const bool print = argc > 1;
    static char line[1 << 16];
    static {model} m;
    unsigned steps = 0, rising = 0;
    while (fgets(line, sizeof line, stdin) && (!print || printf("%s", line)) && line[0] != 'e') {{}}
    while (fgets(line, sizeof line, stdin)) {{
        if (print) printf("%.*s", (int)strcspn(line, "\\n"), line);
        const char *at = strtok(line, " "); // time
        at = strtok(nullptr, " \\n");
        rising = strtoul(at, nullptr, 16);
''')
for p in ports['input']:
    print(f'        put(m.{p}, strtok(nullptr, " \\n"));')
print(''.join(f'        m.{p} = 0;\n' for p in ports['clock']) + '        m.eval();')
for p in ports['output']:
    print(f'        if (print) show(m.{p});\n        else if (!same(m.{p}, strtok(nullptr, " \\n"))) return '
          f'printf("step %u: {p}\\n", steps), 1;')
print(''.join(f'        m.{p} = rising >> {i} & 1;\n' for i, p in enumerate(ports['clock'])) + '''        m.eval();
        if (print) putchar('\\n');
        steps++;
    }
    if (!print) printf("%u steps\\n", steps);
}''')
