// Written by hand, in the words of Verilator 5.032.
extern const VlUnpacked<CData/*3:0*/, 16> Vx__ConstPool__TABLE_h1_0;

VL_INLINE_OPT void Vx___024root___ico_sequent__TOP__0(Vx___024root* vlSelf) {
    (void)vlSelf;  // Prevent unused variable warning
    Vx__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vx___024root___ico_sequent__TOP__0\n"); );
    auto& vlSelfRef = std::ref(*vlSelf).get();
    // Body
    vlSelfRef.sum = (QData)((IData)(vlSelfRef.wide[1U]));
}

void Vx___024root___eval_ico(Vx___024root* vlSelf) {
    (void)vlSelf;  // Prevent unused variable warning
    Vx__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    auto& vlSelfRef = std::ref(*vlSelf).get();
    // Body
    if ((1ULL & vlSelfRef.__VicoTriggered.word(0U))) {
        Vx___024root___ico_sequent__TOP__0(vlSelf);
    }
}

void Vx___024root___eval_act(Vx___024root* vlSelf) {
    (void)vlSelf;  // Prevent unused variable warning
    Vx__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vx___024root___eval_act\n"); );
    auto& vlSelfRef = std::ref(*vlSelf).get();
}

VL_INLINE_OPT void Vx___024root___nba_sequent__TOP__0(Vx___024root* vlSelf) {
    (void)vlSelf;  // Prevent unused variable warning
    Vx__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    auto& vlSelfRef = std::ref(*vlSelf).get();
    // Init
    CData/*3:0*/ __Vfunc_x__DOT__f__1__Vfuncout;
    // Body
    if (vlSelfRef.run_clk) {
        vlSelfRef.x__DOT__memory[vlSelfRef.x__DOT__a] = 0U;
    } else if ((1U & vlSelfRef.wide[0U])) {
        vlSelfRef.x__DOT__w[2U] = Vx__ConstPool__TABLE_h1_0
            [vlSelfRef.x__DOT__a];
    } else {
        VL_ZERO_W(100, vlSelfRef.x__DOT__w);
    }
    vlSelfRef.x__DOT__a = ([&]() {
            __Vfunc_x__DOT__f__1__Vfuncout = (0xfU 
                                              & (vlSelfRef.x__DOT__a 
                                                 + 1U));
        }(), __Vfunc_x__DOT__f__1__Vfuncout);
}

void Vx___024root___eval_nba(Vx___024root* vlSelf) {
    (void)vlSelf;  // Prevent unused variable warning
    Vx__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    auto& vlSelfRef = std::ref(*vlSelf).get();
    // Body
    if ((3ULL & vlSelfRef.__VnbaTriggered.word(0U))) {
        vlSelfRef.__Vm_traceActivity[1U] = 1U;
        Vx___024root___nba_sequent__TOP__0(vlSelf);
    }
    if ((2ULL & vlSelfRef.__VnbaTriggered.word(0U))) {
        Vx_part___nba_sequent__TOP__x__DOT__p__0((&vlSymsp->TOP__x__DOT__p));
    }
}

void Vx___024root___eval_triggers__ico(Vx___024root* vlSelf) {
    (void)vlSelf;  // Prevent unused variable warning
    auto& vlSelfRef = std::ref(*vlSelf).get();
    // Body
    vlSelfRef.__VicoTriggered.set(0U, (IData)(vlSelfRef.__VicoFirstIteration));
#ifdef VL_DEBUG
    Vx___024root___dump_triggers__ico(vlSelf);
#endif
}

void Vx___024root___eval_triggers__act(Vx___024root* vlSelf) {
    (void)vlSelf;  // Prevent unused variable warning
    auto& vlSelfRef = std::ref(*vlSelf).get();
    // Body
    vlSelfRef.__VactTriggered.set(0U, ((IData)(vlSelfRef.clk) 
                                      & (~ (IData)(vlSelfRef.__Vtrigprevexpr___TOP__clk__0))));
    vlSelfRef.__VactTriggered.set(1U, ((IData)(vlSelfRef.run_clk) 
                                      & (~ (IData)(vlSelfRef.__Vtrigprevexpr___TOP__run_clk__0))));
    vlSelfRef.__Vtrigprevexpr___TOP__clk__0 = vlSelfRef.clk;
    vlSelfRef.__Vtrigprevexpr___TOP__run_clk__0 = vlSelfRef.run_clk;
}

void Vx___024root___eval(Vx___024root* vlSelf) {
    (void)vlSelf;  // Prevent unused variable warning
    auto& vlSelfRef = std::ref(*vlSelf).get();
    // Init
    IData/*31:0*/ __VicoIterCount;
    CData/*0:0*/ __VicoContinue;
    IData/*31:0*/ __VnbaIterCount;
    CData/*0:0*/ __VnbaContinue;
    // Body
    __VicoIterCount = 0U;
    vlSelfRef.__VicoFirstIteration = 1U;
    __VicoContinue = 1U;
    while (__VicoContinue) {
        __VicoIterCount = ((IData)(1U) + __VicoIterCount);
        __VicoContinue = 0U;
        if (Vx___024root___eval_phase__ico(vlSelf)) {
            __VicoContinue = 1U;
        }
        vlSelfRef.__VicoFirstIteration = 0U;
    }
    __VnbaIterCount = 0U;
    __VnbaContinue = 1U;
    while (__VnbaContinue) {
        __VnbaIterCount = ((IData)(1U) + __VnbaIterCount);
        __VnbaContinue = 0U;
        if (Vx___024root___eval_phase__act(vlSelf)) {
        }
        if (Vx___024root___eval_phase__nba(vlSelf)) {
            __VnbaContinue = 1U;
        }
    }
}

bool Vx___024root___eval_phase__ico(Vx___024root* vlSelf) {
    (void)vlSelf;  // Prevent unused variable warning
    auto& vlSelfRef = std::ref(*vlSelf).get();
    // Init
    CData/*0:0*/ __VicoExecute;
    // Body
    Vx___024root___eval_triggers__ico(vlSelf);
    __VicoExecute = vlSelfRef.__VicoTriggered.any();
    if (__VicoExecute) {
        Vx___024root___eval_ico(vlSelf);
    }
    return (__VicoExecute);
}

bool Vx___024root___eval_phase__act(Vx___024root* vlSelf) {
    (void)vlSelf;  // Prevent unused variable warning
    auto& vlSelfRef = std::ref(*vlSelf).get();
    // Init
    VlTriggerVec<2> __VpreTriggered;
    CData/*0:0*/ __VactExecute;
    // Body
    Vx___024root___eval_triggers__act(vlSelf);
    __VactExecute = vlSelfRef.__VactTriggered.any();
    if (__VactExecute) {
        __VpreTriggered.andNot(vlSelfRef.__VactTriggered, vlSelfRef.__VnbaTriggered);
        vlSelfRef.__VnbaTriggered.thisOr(vlSelfRef.__VactTriggered);
        Vx___024root___eval_act(vlSelf);
    }
    return (__VactExecute);
}

bool Vx___024root___eval_phase__nba(Vx___024root* vlSelf) {
    (void)vlSelf;  // Prevent unused variable warning
    auto& vlSelfRef = std::ref(*vlSelf).get();
    // Init
    CData/*0:0*/ __VnbaExecute;
    // Body
    __VnbaExecute = vlSelfRef.__VnbaTriggered.any();
    if (__VnbaExecute) {
        Vx___024root___eval_nba(vlSelf);
        vlSelfRef.__VnbaTriggered.clear();
    }
    return (__VnbaExecute);
}
