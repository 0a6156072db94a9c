/* The same for AXI4-Lite (IHI 0022, part B). Its accesses have one beat and no ID, so fewer rules can be broken. */
#ifndef SIM_MODEL_AXI_AXI_LITE_RULES_H
#define SIM_MODEL_AXI_AXI_LITE_RULES_H

#define AXI_LITE_RULE_LIST(X)                                                                                          \
    X(AW_HELD, MASTER, "A3.2.1", "the address of a write goes or changes before it is taken")                          \
    X(W_HELD, MASTER, "A3.2.1", "the data of a write go or change before they are taken")                              \
    X(B_HELD, SLAVE, "A3.2.1", "the response of a write goes or changes before it is taken")                           \
    X(AR_HELD, MASTER, "A3.2.1", "the address of a read goes or changes before it is taken")                           \
    X(R_HELD, SLAVE, "A3.2.1", "read data go or change before they are taken")                                         \
    X(AW_RESET, MASTER, "A3.1.2", "AWVALID in reset, or in the first clock after it")                                  \
    X(W_RESET, MASTER, "A3.1.2", "WVALID in reset, or in the first clock after it")                                    \
    X(B_RESET, SLAVE, "A3.1.2", "BVALID in reset, or in the first clock after it")                                     \
    X(AR_RESET, MASTER, "A3.1.2", "ARVALID in reset, or in the first clock after it")                                  \
    X(R_RESET, SLAVE, "A3.1.2", "RVALID in reset, or in the first clock after it")                                     \
    X(B_ALONE, SLAVE, "A3.3.1", "a response without a write whose address and data were taken before")                 \
    X(B_RESP, SLAVE, "B1.1.1", "EXOKAY, which AXI4-Lite does not have")                                                \
    X(R_ALONE, SLAVE, "A3.3.1", "read data without a read whose address was taken before")                             \
    X(R_RESP, SLAVE, "B1.1.1", "EXOKAY, which AXI4-Lite does not have")

#endif
