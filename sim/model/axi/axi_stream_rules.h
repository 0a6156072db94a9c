/* Every rule that the AXI4-Stream monitor checks: identifier, section of the AMBA AXI4-Stream specification (IHI 0051),
 * and the violation. "frames": the chip's streams carry Ethernet frames, one byte behind the other (rtl/roce).
 * tb/unit/axi feeds the monitor each of them. */
#ifndef SIM_MODEL_AXI_AXI_STREAM_RULES_H
#define SIM_MODEL_AXI_AXI_STREAM_RULES_H

#define AXI_STREAM_RULE_LIST(X)                                                                                        \
    X(HELD, "2.2.1", "a word goes or changes before it is taken")                                                      \
    X(RESET, "2.7.2", "TVALID in reset, or in the first clock after it")                                               \
    X(KEEP, "frames", "a word that is not the last lacks a byte")                                                      \
    X(KEEP_LAST, "frames", "the bytes of the last word are not the first ones of it, one or more")                     \
    X(GAP, "frames", "a gap inside a frame, where the MAC cannot wait")                                                \
    X(LONG, "frames", "a frame longer than the stream carries")

#endif
