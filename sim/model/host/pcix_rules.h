/* Every rule the monitor checks: identifier, section of pcix.md, and the violation. tb/unit/host feeds the monitor each
 * of them. */
#ifndef SIM_MODEL_HOST_PCIX_RULES_H
#define SIM_MODEL_HOST_PCIX_RULES_H

#define PCIX_RULE_LIST(X)                                                                                              \
    /* who drives what */                                                                                              \
    X(ONE_DRIVER, "1.1", "two agents drive a signal in the same clock")                                                \
    X(TURNAROUND, "1.1", "an agent drives a signal right after another one, without a clock between")                  \
    X(STS_HIGH, "1.1", "a sustained tri-state signal is released without having been driven high for a clock")         \
    X(STS_RELEASE, "3.5", "a sustained tri-state signal is driven on after its clock of high level")                   \
    X(RESET_FLOAT, "1.1", "a device drives while RST# is low")                                                         \
    X(RESET_START, "1.2", "a transaction starts less than 5 clocks after RST# rose")                                   \
    X(INITIATOR_ONLY, "1.1", "FRAME#, IRDY#, REQ64# or C/BE# driven by an agent that is not the initiator")            \
    X(TARGET_ONLY, "1.1", "DEVSEL#, TRDY#, STOP# or ACK64# driven by an agent that is not the target")                 \
    X(TARGET_EARLY, "4", "DEVSEL#, TRDY#, STOP# or ACK64# driven before the target claims the transaction")            \
    X(IDLE_CONTROL, "3.5", "a control signal driven on an idle bus")                                                   \
    X(IDLE_AD, "9", "AD or C/BE# driven on an idle bus by an agent without GNT# two clocks before")                    \
    X(AD_OWNER, "3.1",                                                                                                 \
      "AD driven by the wrong agent: only the initiator, on reads from A+3 only the target, nobody in A+2")            \
    X(AD_DRIVEN, "3.1", "AD or C/BE# not driven in a phase that needs them")                                           \
    X(INITIATOR_RELEASE, "3.5", "AD or C/BE# still driven by the initiator in the clock in which IRDY# rises")         \
    /* arbitration and start */                                                                                        \
    X(GNT_ONE, "9", "GNT# of two agents low at the same time")                                                         \
    X(GNT_GAP, "9", "GNT# moved from one agent to another on an idle bus without a clock between")                     \
    X(GNT_HOLD, "9", "GNT# taken from a requesting agent on an idle bus after less than 5 clocks")                     \
    X(START_GNT, "9", "a transaction starts though GNT# was not low two clocks before")                                \
    X(START_IDLE, "9", "a transaction starts too early after the one before")                                          \
    X(STEP, "6.4", "a configuration address not on AD for the four clocks before FRAME#")                              \
    X(STEP_GNT, "9", "GNT# of a configuration transaction not low two clocks before FRAME#")                           \
    /* address phase */                                                                                                \
    X(COMMAND, "2", "a command an initiator must not issue: reserved, or an alias")                                    \
    X(DAC_COMMAND, "6.5", "a dual address cycle with a command that has none: configuration, I/O, Split Completion")   \
    X(DAC_ZERO, "8.2", "a dual address cycle for an address below 4 GB")                                               \
    X(REQ64_COMMAND, "8.1", "REQ64# with a DWORD command")                                                             \
    X(REQ64_FRAME, "8.1", "REQ64# not low in the same clocks as FRAME#")                                               \
    X(UPPER_HIGH, "8.2", "AD[63:32] or C/BE[7:4]# not high in a single address or attribute phase")                    \
    X(UPPER_DAC, "8.2", "upper halves of a dual address cycle not the upper address and the command")                  \
    X(CONFIG_ADDRESS, "6.4",                                                                                           \
      "Type 0 configuration address malformed: IDSEL one-hot in AD[31:16], device number, AD[1:0] = 0")                \
    X(BUS_MASTER, "11.2", "a device starts a transaction though its Bus Master bit is off")                            \
    /* attribute phase */                                                                                              \
    X(ATTRIBUTE_RESERVED, "6.1", "reserved attribute bits not zero")                                                   \
    X(REQUESTER_ID, "6.1", "Requester ID in the attribute is not the initiator's own")                                 \
    X(CONFIG_BUS, "6.3", "AD[7:0] of a configuration attribute is not the number of this bus")                         \
    X(READ_LIMIT, "7.6", "byte count above the device's Maximum Memory Read Byte Count")                               \
    X(SPLIT_LIMIT, "7.6", "more reads outstanding than the device's Maximum Outstanding Split Transactions")           \
    X(TAG_REUSE, "7.5", "Tag of an outstanding Sequence used for another one")                                         \
    X(SEQUENCE_RESUME, "5.5", "after a disconnect the Sequence does not go on where it stopped")                       \
    X(RETRY_REPEAT, "5.4", "after a Retry the next memory write, or the next request with this Tag, is another one")   \
    X(RETRY_FORGOTTEN, "5.4", "a retried request is not repeated within 32768 clocks")                                 \
    /* initiator's control signals */                                                                                  \
    X(FRAME_EARLY, "3.5", "FRAME# rises too early")                                                                    \
    X(FRAME_LATE, "3.5", "FRAME# rises too late")                                                                      \
    X(ADB_END, "3.6", "the initiator ends a burst that is not complete elsewhere than at an ADB")                      \
    X(LATENCY_TIMER, "9",                                                                                              \
      "a device keeps the bus beyond the next ADB though its Latency Timer has expired and GNT# is high")              \
    X(IRDY_START, "3.1", "IRDY# not first low in A+3")                                                                 \
    X(IRDY_WAIT, "3.2", "the initiator inserts a wait state")                                                          \
    X(IRDY_END, "3.5", "IRDY# does not rise in the clock after the end")                                               \
    X(MASTER_ABORT, "4", "nobody has answered by A+6, but the initiator does not end at A+8")                          \
    X(CBE_HIGH, "3.3", "C/BE# not high where they are reserved")                                                       \
    X(BYTE_ENABLES, "3.3", "bytes below the start address or after the byte count are enabled")                        \
    X(WRITE_HOLD, "3.4", "write data not held, or not alternating D0 D1 D0 while the target waits")                    \
    X(UPPER_DUPLICATE, "8.3",                                                                                          \
      "an odd DWORD of a 64-bit initiator not shown on AD[31:0] too while the width is unknown")                       \
    /* target's answer */                                                                                              \
    X(DEVSEL_WINDOW, "4", "DEVSEL# first low elsewhere than at A+2, A+3, A+4 or A+6")                                  \
    X(DEVSEL_COMMAND, "2", "a reserved command or a Special Cycle is answered")                                        \
    X(TARGET_SELF, "4", "an agent answers its own transaction")                                                        \
    X(TARGET_DRIVE, "4", "TRDY# or STOP# not driven together with DEVSEL#")                                            \
    X(RESPONSE_EARLY, "5.1", "TRDY# or STOP# low before DEVSEL# has been low for a clock")                             \
    X(RESPONSE_LOST, "5.1", "DEVSEL# raised without a response")                                                       \
    X(RESPONSE_COMMAND, "5.6", "a response that this command must not get")                                            \
    X(RESPONSE_LATER, "5.1", "Retry, Split Response or Single Data Phase Disconnect after the first data phase")       \
    X(WAIT_PAIR, "3.2", "an odd number of wait states before data of a write or a Split Completion")                   \
    X(LATENCY_DATA, "3.2", "no data within 16 clocks of FRAME#")                                                       \
    X(LATENCY_END, "3.2", "Retry, Split Response or Target-Abort later than 8 clocks after FRAME#")                    \
    X(TARGET_WAIT, "3.2", "the target pauses or stops after the first data phase")                                     \
    X(STOP_STICKY, "5.2", "STOP# rises again after Disconnect at Next ADB")                                            \
    X(TARGET_STOP, "3.5", "the target does not drive its signals high in the clock after the end")                     \
    X(ACK64_ALONE, "8.1", "ACK64# without REQ64#")                                                                     \
    X(ACK64_DEVSEL, "8.1", "ACK64# not low in the same clocks as DEVSEL#")                                             \
    X(SPLIT_ONES, "5.1", "AD not all ones in the Split Response to a read")                                            \
    /* parity */                                                                                                       \
    X(PAR_DRIVE, "10", "PAR or PAR64 not driven by whoever drove AD one clock earlier, or driven without that")        \
    X(PAR_VALUE, "10", "PAR makes the number of ones odd")                                                             \
    X(PAR64_VALUE, "10", "PAR64 makes the number of ones odd")                                                         \
    X(PERR_SPURIOUS, "10", "PERR# low without a bad data phase three clocks before, or driven by the wrong agent")     \
    X(PERR_MISSING, "10", "no PERR# three clocks after a bad data phase though Parity Error Response is on")           \
    X(SERR_SPURIOUS, "10", "SERR# low without a parity error in the last 64 clocks")                                   \
    X(SERR_MISSING, "10", "no SERR# three clocks after a bad address or attribute phase though enabled")               \
    /* split completions */                                                                                            \
    X(COMPLETION_UNEXPECTED, "7.8", "a Split Completion for which no read is outstanding")                             \
    X(COMPLETION_ADDRESS, "6.5", "reserved bits in the address of a Split Completion not zero, or RO not a copy")      \
    X(COMPLETION_LOWER, "7.3", "Lower Address of a Split Completion is not that of the next byte")                     \
    X(COMPLETION_COUNT, "6.6",                                                                                         \
      "Byte Count of a Split Completion is not what remains; with BCM, not up to the first ADB")                       \
    X(COMPLETER_ID, "6.6", "Completer ID is not that of the agent that split the read")                                \
    X(COMPLETER_BITS, "6.6",                                                                                           \
      "reserved completer bits not zero, SCE without SCM, BCM elsewhere than in a first completion that is cut")       \
    X(COMPLETION_MESSAGE, "6.7", "a Split Completion Message that is not one DWORD with byte count 4")                 \
    X(COMPLETION_CLAIM, "6.5", "a Split Completion is claimed by another agent than its requester")

enum pcix_rule {
#define PCIX_RULE_ENUM_(id, section, text) PCIX_RULE_##id,
    PCIX_RULE_LIST(PCIX_RULE_ENUM_)
#undef PCIX_RULE_ENUM_
        PCIX_RULES
};

#endif
