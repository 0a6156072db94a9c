// The Verilator side of sim/runtime/model.h that all models share: context (time, seed, $finish), and recorders of waves.
//
// By what Verilator documents alone. A model that scripts/places.py has changed hands on its signals by itself (signals.hpp). For another
// one a recorder is a VerilatedVcdC that writes into a VerilatedVcdFile of ours, whose text is read here and handed to sim/runtime/fst.h.
#include "scripts/signals.hpp"
#include "sim/runtime/model.h"
#include "verilated_sym_props.h"
#include "verilated_vcd_c.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

namespace {
VerilatedContext *context(void *c) { return static_cast<VerilatedContext *>(c); }
void *context_new(int zero)
{
    auto *c = new VerilatedContext;
    c->randReset(zero ? 0 : 2);
    c->fatalOnError(false);
    c->traceEverOn(true);
    c->timeunit(-12);
    c->timeprecision(-12);
    c->threads(1); /* else it starts some, for models that use them */
    /* $test$plusargs, $value$plusargs: words of the environment's PLUSARGS */
    std::vector<std::string> words(1, "model");
    std::istringstream plusargs(std::getenv("PLUSARGS") ? std::getenv("PLUSARGS") : "");
    for (std::string word; plusargs >> word;) words.push_back(word);
    std::vector<const char *> list;
    for (const std::string &word : words) list.push_back(word.c_str());
    c->commandArgs(static_cast<int>(list.size()), list.data());
    return c;
}

/* Where the Verilog of a model is, by its context. */
std::mutex folders_lock;
std::map<const void *, std::string> folders;
std::string folder_now()
{
    std::lock_guard<std::mutex> lock(folders_lock);
    auto at = folders.find(Verilated::threadContextp());
    return at == folders.end() ? "" : at->second;
}
void context_free(void *c)
{
    {
        std::lock_guard<std::mutex> lock(folders_lock);
        folders.erase(c);
    }
    delete context(c);
}
void context_seed(void *c, uint32_t seed) { context(c)->randSeed(static_cast<int>(seed & 0x7fffffff)); }
/* Verilator finds some of its state (scopes, $finish) by the thread: several simulations may take turns, and go in any order. */
void context_time(void *c, uint64_t time)
{
    Verilated::threadContextp(context(c));
    context(c)->time(time);
}
int context_ended(void *c) { return context(c)->gotError() ? 2 : context(c)->gotFinish() ? 1 : 0; }

/* Reads the text of a VCD file as it is written: declarations once, then changes. Lines may come in pieces. */
class reader : public VerilatedVcdFile {
    std::string line;              /* its part that has come */
    std::vector<uint32_t> signals; /* what fst_signal has returned, by Verilator's codes */
    std::vector<uint32_t> words;
    bool declared = false;

    /* Digits of base 94, the lowest first; the second and later ones count from 1. */
    static size_t code_of(const char *text)
    {
        size_t code = 0, weight = 1;
        for (bool first = true; *text > ' '; text++, weight *= 94, first = false)
            code += (static_cast<size_t>(*text - '!') + !first) * weight;
        return code;
    }
    void declare(const std::string &text)
    {
        char type[40], code[12];
        unsigned bits;
        int name;
        if (std::strncmp(text.c_str(), "$scope ", 7) == 0) {
            size_t at = text.find(' ', 7) + 1;
            return fst_scope(to, SCOPE, text.substr(at, text.rfind(" $end") - at).c_str());
        }
        if (std::strncmp(text.c_str(), "$upscope", 8) == 0) return fst_scope_end(to);
        if (std::strncmp(text.c_str(), "$enddefinitions", 15) == 0) declared = true;
        if (std::sscanf(text.c_str(), "$var %39s %u %11s %n", type, &bits, code, &name) != 3) return;
        size_t number = code_of(code);
        if (signals.size() <= number) signals.resize(number + 1);
        if (!std::strcmp(type, "real")) return; /* left out */
        const uint32_t signal = fst_signal(to, WIRE, IMPLICIT, bits, text.substr(name, text.rfind(" $end") - name).c_str(), signals[number]);
        if (!signals[number]) signals[number] = signal;
    }
    void change(const char *text)
    {
        if (*text == '0' || *text == '1') {
            const size_t number = code_of(text + 1);
            if (number < signals.size() && signals[number]) fst_change(to, signals[number], *text == '1', 1);
        }
        if (*text != 'b') return; /* a time, an empty line */
        const char *end = std::strchr(text, ' ');
        const size_t bits = static_cast<size_t>(end - text) - 1, number = end ? code_of(end + 1) : 0;
        if (number >= signals.size() || !signals[number]) return;
        words.assign((bits + 31) / 32, 0);
        for (size_t i = 0; i < bits; i++) words[(bits - 1 - i) / 32] |= static_cast<uint32_t>(text[1 + i] & 1) << (bits - 1 - i) % 32;
        if (bits > 64) return fst_change_wide(to, signals[number], words.data(), static_cast<unsigned>(words.size()));
        fst_change(to, signals[number], bits > 32 ? words[0] | static_cast<uint64_t>(words[1]) << 32 : words[0],
                   bits > 32 ? 8 : bits > 16 ? 4 : bits > 8 ? 2 : 1);
    }

public:
    enum { SCOPE = 0, WIRE = 16, IMPLICIT = 0 }; /* kinds and direction of the FST format */
    fst_stream *to = nullptr;
    bool open(const std::string &) override { return true; }
    void close() override {}
    ssize_t write(const char *text, ssize_t size) override
    {
        for (const char *at = text, *end = text + size, *next; at < end; at = next) {
            const char *newline = static_cast<const char *>(std::memchr(at, '\n', static_cast<size_t>(end - at)));
            line.append(at, newline ? newline : end);
            next = newline ? newline + 1 : end;
            if (!newline) break;
            const size_t begin = line.find_first_not_of(' ');
            if (declared) change(line.c_str());
            else if (begin != std::string::npos) declare(line.substr(begin));
            line.clear();
        }
        return size;
    }
};

struct with_reader {
    reader text;
};
struct recorder : with_reader, VerilatedVcdC {
    const sim_signals_of *by = nullptr; /* NULL: by VCD */
    void *self = nullptr;               /* the model */
    std::unique_ptr<sim_signals> signals;
    recorder() : VerilatedVcdC(&text) {}
    void begin(fst_stream *to)
    {
        if (by) {
            signals.reset(new sim_signals(to));
            return by->declare(self, signals.get());
        }
        text.to = to;
        open("waves");
        flush();
    }
    /* The times of the file are set by fst_time; Verilator wants some that grow. */
    void show(uint64_t n)
    {
        if (by) return (n == 1 ? by->all : by->changed)(self, signals.get());
        dump(n);
        flush();
    }
};
recorder *of(void *w) { return static_cast<recorder *>(static_cast<VerilatedVcdC *>(w)); }

void *recorder_new() { return static_cast<VerilatedVcdC *>(new recorder); }
void recorder_open(void *r, fst_stream *to) { of(r)->begin(to); }
void recorder_show(void *r, uint64_t n) { of(r)->show(n); }
void recorder_free(void *r) { delete of(r); }

const void *signal(void *c, const char *path, const char *name, unsigned *bytes)
{
    const VerilatedScope *scope = context(c)->scopeFind(path);
    const VerilatedVar *var = scope ? scope->varFind(name) : nullptr;
    if (!var) return nullptr;
    switch (var->vltype()) {
    case VLVT_UINT8: *bytes = sizeof(CData); break;
    case VLVT_UINT16: *bytes = sizeof(SData); break;
    case VLVT_UINT32: *bytes = sizeof(IData); break;
    case VLVT_UINT64: *bytes = sizeof(QData); break;
    default: return nullptr;
    }
    return var->datap();
}
}

// What still changes in a model that does not settle; said before vl_fatal.
static thread_local std::string triggers;
void sim_triggered(const char *text, ...)
{
    static const char said[] = " is active: ";
    if (const char *at = std::strstr(text, said)) triggers += (triggers.empty() ? ": " : ", ") + std::string(at + sizeof said - 1);
    if (!triggers.empty() && triggers.back() == '\n') triggers.pop_back();
}
// Instead of Verilator's own, which aborts the program.
void vl_fatal(const char *file, int line, const char *, const char *text)
{
    static thread_local char all[400];
    std::string what(text);
    while (!what.empty() && (what.back() == '.' || what.back() == '\n')) what.pop_back();
    std::snprintf(all, sizeof all, "%s%s", what.c_str(), triggers.c_str());
    sim_model_fatal(file, line, all);
}

extern "C" void sim_model_folder(void *c, const char *folder)
{
    std::lock_guard<std::mutex> lock(folders_lock);
    folders[c] = folder;
}
// What Verilator's fopen has become (Makefile): a file to read is looked for beside the Verilog first.
extern "C" FILE *sim_model_fopen(const char *name, const char *mode)
{
    FILE *f = nullptr;
    if (*mode == 'r' && *name != '/') f = std::fopen((folder_now() + name).c_str(), mode);
    return f ? f : std::fopen(name, mode);
}
// Instead of Verilator's own: a memory whose file is missing would start with random values.
void vl_warn(const char *file, int line, const char *, const char *text)
{
    if (!std::strstr(text, "$readmem file not found")) {
        std::fprintf(stderr, "%%Warning: %s:%d: %s\n", file, line, text);
        return;
    }
    static thread_local char all[400];
    std::snprintf(all, sizeof all, "%s: $readmem finds no such file; expected it in %s or here", file, folder_now().c_str());
    sim_model_fatal(nullptr, 0, all);
}

extern "C" const sim_engine sim_verilated = {context_new, context_free, context_seed, context_time, context_ended, recorder_new,
                                             recorder_open, recorder_show, recorder_free, signal};

void sim_recorder_signals(VerilatedVcdC *recorder, const sim_signals_of *by, void *self)
{
    of(recorder)->by = by;
    of(recorder)->self = self;
}
