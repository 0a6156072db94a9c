/* Names of commands, phases, endings and signals for reports. */
#include "sim/model/host/pcix.h"

const char *pcix_command_name(int command)
{
    static const char *const names[16] = {"Interrupt Acknowledge",
                                          "Special Cycle",
                                          "I/O Read",
                                          "I/O Write",
                                          "reserved 4",
                                          "reserved 5",
                                          "Memory Read DWORD",
                                          "Memory Write",
                                          "Alias to Memory Read Block",
                                          "Alias to Memory Write Block",
                                          "Configuration Read",
                                          "Configuration Write",
                                          "Split Completion",
                                          "Dual Address Cycle",
                                          "Memory Read Block",
                                          "Memory Write Block"};
    return names[command & 15];
}

const char *pcix_phase_name(int phase)
{
    static const char *const names[] = {"idle", "addr", "addr2", "attr", "resp", "wait", "data", "end", "term"};
    return phase >= 0 && phase <= PCIX_PH_OVER ? names[phase] : "?";
}

const char *pcix_end_name(int end)
{
    static const char *const names[] = {
        "byte count", "initiator disconnect", "disconnect at next ADB", "single data phase disconnect",
        "retry",      "split response",       "target abort",           "master abort"};
    return end >= 0 && end <= PCIX_END_MASTER_ABORT ? names[end] : "?";
}

const char *pcix_signal_name(int signal)
{
    static const char *const names[PCIX_SIGNALS] = {"FRAME#", "IRDY#",    "DEVSEL#",   "TRDY#",      "STOP#",
                                                    "REQ64#", "ACK64#",   "PERR#",     "SERR#",      "PAR",
                                                    "PAR64",  "AD[31:0]", "AD[63:32]", "C/BE[3:0]#", "C/BE[7:4]#"};
    return signal >= 0 && signal < PCIX_SIGNALS ? names[signal] : "?";
}
