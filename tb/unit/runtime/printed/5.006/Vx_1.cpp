// Written by hand, in the words of Verilator 5.006.
extern const VlUnpacked<CData/*3:0*/, 16> Vx__ConstPool__TABLE_h1_0;

VL_INLINE_OPT void Vx___024root___ico_sequent__TOP__0(Vx___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vx__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vx___024root___ico_sequent__TOP__0\n"); );
    // Body
    vlSelf->sum = (QData)((IData)(vlSelf->wide[1U]));
}

void Vx___024root___eval_ico(Vx___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vx__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    // Body
    if (vlSelf->__VicoTriggered.at(0U)) {
        Vx___024root___ico_sequent__TOP__0(vlSelf);
    }
}

void Vx___024root___eval_act(Vx___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vx__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    VL_DEBUG_IF(VL_DBG_MSGF("+    Vx___024root___eval_act\n"); );
}

VL_INLINE_OPT void Vx___024root___nba_sequent__TOP__0(Vx___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vx__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    // Init
    CData/*3:0*/ __Vfunc_x__DOT__f__1__Vfuncout;
    // Body
    if (vlSelf->run_clk) {
        vlSelf->x__DOT__memory[vlSelf->x__DOT__a] = 0U;
    } else if ((1U & vlSelf->wide[0U])) {
        vlSelf->x__DOT__w[2U] = Vx__ConstPool__TABLE_h1_0
            [vlSelf->x__DOT__a];
    } else {
        VL_ZERO_W(100, vlSelf->x__DOT__w);
    }
    __Vfunc_x__DOT__f__1__Vfuncout = (0xfU & (vlSelf->x__DOT__a 
                                              + 1U));
    vlSelf->x__DOT__a = __Vfunc_x__DOT__f__1__Vfuncout;
}

void Vx___024root___eval_nba(Vx___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    Vx__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;
    // Body
    if ((vlSelf->__VnbaTriggered.at(0U) | vlSelf->__VnbaTriggered.at(1U))) {
        vlSelf->__Vm_traceActivity[1U] = 1U;
        Vx___024root___nba_sequent__TOP__0(vlSelf);
    }
    if (vlSelf->__VnbaTriggered.at(1U)) {
        Vx_part___nba_sequent__TOP__x__DOT__p__0((&vlSymsp->TOP__x__DOT__p));
    }
}

void Vx___024root___eval_triggers__ico(Vx___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    // Body
    vlSelf->__VicoTriggered.at(0U) = (0U == vlSelf->__VicoIterCount);
#ifdef VL_DEBUG
    Vx___024root___dump_triggers__ico(vlSelf);
#endif
}

void Vx___024root___eval_triggers__act(Vx___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    // Body
    vlSelf->__VactTriggered.at(0U) = ((IData)(vlSelf->clk) 
                                      & (~ (IData)(vlSelf->__Vtrigrprev__TOP__clk)));
    vlSelf->__VactTriggered.at(1U) = ((IData)(vlSelf->run_clk) 
                                      & (~ (IData)(vlSelf->__Vtrigrprev__TOP__run_clk)));
    vlSelf->__Vtrigrprev__TOP__clk = vlSelf->clk;
    vlSelf->__Vtrigrprev__TOP__run_clk = vlSelf->run_clk;
}

void Vx___024root___eval(Vx___024root* vlSelf) {
    if (false && vlSelf) {}  // Prevent unused
    // Init
    CData/*0:0*/ __VicoContinue;
    VlTriggerVec<2> __VpreTriggered;
    IData/*31:0*/ __VnbaIterCount;
    CData/*0:0*/ __VnbaContinue;
    // Body
    vlSelf->__VicoIterCount = 0U;
    __VicoContinue = 1U;
    while (__VicoContinue) {
        __VicoContinue = 0U;
        Vx___024root___eval_triggers__ico(vlSelf);
        if (vlSelf->__VicoTriggered.any()) {
            __VicoContinue = 1U;
            vlSelf->__VicoIterCount = ((IData)(1U) + vlSelf->__VicoIterCount);
            Vx___024root___eval_ico(vlSelf);
        }
    }
    __VnbaIterCount = 0U;
    __VnbaContinue = 1U;
    while (__VnbaContinue) {
        __VnbaContinue = 0U;
        vlSelf->__VnbaTriggered.clear();
        Vx___024root___eval_triggers__act(vlSelf);
        if (vlSelf->__VactTriggered.any()) {
            __VnbaContinue = 1U;
            vlSelf->__VnbaTriggered.set(vlSelf->__VactTriggered);
            Vx___024root___eval_nba(vlSelf);
        }
    }
}
