// What a model with waves tells of its signals (scripts/places.py), and to whom, instead of to Verilator's recorder: sim/runtime/fst.h.
#ifndef SCRIPTS_SIGNALS_HPP
#define SCRIPTS_SIGNALS_HPP

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "sim/runtime/fst.h"
#include "verilated.h"

class sim_signals {
    fst_stream *to;
    std::vector<std::string> prefix; /* of names: each of its words is a scope */
    std::vector<std::string> scopes; /* that are open in the file */
    std::vector<uint32_t> signals;   /* what fst_signal has returned, by Verilator's codes */

public:
    using Buffer = sim_signals;
    explicit sim_signals(fst_stream *stream) : to(stream), prefix(1) {}

    /* ---- declarations ---- */

    void scopeEscape(char) {}
    void pushNamePrefix(const std::string &name) { prefix.push_back(prefix.back() + name); }
    void popNamePrefix(unsigned count = 1) { prefix.resize(prefix.size() - count); }
    void open(const std::vector<std::string> &now)
    {
        size_t same = 0;
        while (same < scopes.size() && same < now.size() && scopes[same] == now[same]) same++;
        for (size_t i = scopes.size(); i > same; i--) fst_scope_end(to);
        for (size_t i = same; i < now.size(); i++) fst_scope(to, 0, now[i].c_str());
        scopes = now;
    }
    /* lsb < 0: of one bit without a number. */
    void declare(uint32_t code, int kind, int direction, const char *name, bool array, int place, int msb = 0, int lsb = -1)
    {
        std::istringstream words(prefix.back() + name);
        std::vector<std::string> now;
        for (std::string word; words >> word;) now.push_back(word);
        std::string signal = now.back();
        now.pop_back();
        open(now);
        if (array) signal += "[" + std::to_string(place) + "]";
        if (lsb >= 0) signal += " [" + std::to_string(msb) + ":" + std::to_string(lsb) + "]";
        if (signals.size() <= code) signals.resize(code + 1);
        const unsigned bits = lsb < 0 ? 1 : static_cast<unsigned>(std::max(msb, lsb) - std::min(msb, lsb)) + 1;
        const uint32_t number = fst_signal(to, kind, direction, bits, signal.c_str(), signals[code]);
        if (!signals[code]) signals[code] = number;
    }
    void place(uint32_t code, const void *at, size_t bytes) { fst_place(to, signals[code], at, static_cast<unsigned>(bytes)); }

    /* ---- all values, when recording begins ---- */

    void fullBit(uint32_t code, CData v) { fst_change(to, signals[code], v != 0, 1); }
    void fullCData(uint32_t code, CData v, int) { fst_change(to, signals[code], v, 1); }
    void fullSData(uint32_t code, SData v, int) { fst_change(to, signals[code], v, 2); }
    void fullIData(uint32_t code, IData v, int) { fst_change(to, signals[code], v, 4); }
    void fullQData(uint32_t code, QData v, int) { fst_change(to, signals[code], v, 8); }
    void fullWData(uint32_t code, const WData *v, int bits) { fst_change_wide(to, signals[code], v, static_cast<unsigned>(VL_WORDS_I(bits))); }
};

/* How a model does it. */
struct sim_signals_of {
    void (*declare)(void *self, sim_signals *);
    void (*all)(void *self, sim_signals *);     /* hands on all values */
    void (*changed)(void *self, sim_signals *); /* works out those that have no variable, and is ready for the next time */
};
class VerilatedVcdC;
void sim_recorder_signals(VerilatedVcdC *recorder, const sim_signals_of *of, void *self);

#endif
