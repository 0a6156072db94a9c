class alignas(VL_CACHE_LINE_BYTES) Vx___024root final : public VerilatedModule {
  public:

    // DESIGN SPECIFIC STATE
    VL_IN8(clk,0,0);
    VL_IN8(run_clk,0,0);
    VL_INW(wide,99,0,4);
    VL_OUT64(sum,39,0);
    CData/*3:0*/ x__DOT__a;
    VlWide<4>/*99:0*/ x__DOT__w;
    VlUnpacked<SData/*11:0*/, 16> x__DOT__memory;
    CData/*0:0*/ __Vtrigprevexpr___TOP__clk__0;
    CData/*0:0*/ __Vtrigprevexpr___TOP__run_clk__0;
    CData/*0:0*/ __VicoFirstIteration;
    CData/*0:0*/ __VactContinue;
    VlTriggerVec<1> __VicoTriggered;
    VlTriggerVec<2> __VactTriggered;
    VlTriggerVec<2> __VnbaTriggered;

    // INTERNAL VARIABLES
    Vx__Syms* const vlSymsp;
};
