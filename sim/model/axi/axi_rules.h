/* Every rule that the AXI4 monitor checks: identifier, the side that must keep it, section of the AMBA AXI
 * specification (IHI 0022), and the violation. tb/unit/axi feeds the monitor each of them. The same list serves both
 * sides of a port. */
#ifndef SIM_MODEL_AXI_AXI_RULES_H
#define SIM_MODEL_AXI_AXI_RULES_H

#define AXI_RULE_LIST(X)                                                                                               \
    X(AW_HELD, MASTER, "A3.2.1", "an address of a write goes or changes before it is taken")                           \
    X(W_HELD, MASTER, "A3.2.1", "write data go or change before they are taken")                                       \
    X(B_HELD, SLAVE, "A3.2.1", "the response of a write goes or changes before it is taken")                           \
    X(AR_HELD, MASTER, "A3.2.1", "an address of a read goes or changes before it is taken")                            \
    X(R_HELD, SLAVE, "A3.2.1", "read data go or change before they are taken")                                         \
    X(AW_RESET, MASTER, "A3.1.2", "AWVALID in reset, or in the first clock after it")                                  \
    X(W_RESET, MASTER, "A3.1.2", "WVALID in reset, or in the first clock after it")                                    \
    X(B_RESET, SLAVE, "A3.1.2", "BVALID in reset, or in the first clock after it")                                     \
    X(AR_RESET, MASTER, "A3.1.2", "ARVALID in reset, or in the first clock after it")                                  \
    X(R_RESET, SLAVE, "A3.1.2", "RVALID in reset, or in the first clock after it")                                     \
    X(AW_SIZE, MASTER, "A3.4.1", "beats of a write are wider than the data bus")                                       \
    X(AR_SIZE, MASTER, "A3.4.1", "beats of a read are wider than the data bus")                                        \
    X(AW_KIND, MASTER, "A3.4.1", "a kind of burst that is reserved, or too many beats, or not aligned, for its kind")  \
    X(AR_KIND, MASTER, "A3.4.1", "a kind of burst that is reserved, or too many beats, or not aligned, for its kind")  \
    X(AW_4KB, MASTER, "A3.4.1", "a write goes over a multiple of 4 KB")                                                \
    X(AR_4KB, MASTER, "A3.4.1", "a read goes over a multiple of 4 KB")                                                 \
    X(W_STROBES, MASTER, "A3.4.3", "a strobe on a byte that is none of the beat's")                                    \
    X(W_LAST, MASTER, "A3.4.1", "WLAST missing in the last beat, or set in another one")                               \
    X(B_ALONE, SLAVE, "A3.3.1", "a response without a write whose address and last data were taken before")            \
    X(B_ID, SLAVE, "A5.3.1", "a response with an ID that no finished write has")                                       \
    X(B_RESP, SLAVE, "A3.4.4", "EXOKAY to a write that is not exclusive")                                              \
    X(R_ALONE, SLAVE, "A3.3.1", "read data without a read whose address was taken before")                             \
    X(R_ID, SLAVE, "A5.3.1", "read data with an ID that no outstanding read has")                                      \
    X(R_LAST, SLAVE, "A3.4.1", "RLAST missing in the last beat, or set in another one")                                \
    X(R_RESP, SLAVE, "A3.4.4", "EXOKAY to a read that is not exclusive")

#endif
