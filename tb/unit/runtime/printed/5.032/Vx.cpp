void Vx::eval_step() {
    vlSymsp->__Vm_deleter.deleteAll();
    Vx___024root___eval(&(vlSymsp->TOP));
    Verilated::endOfEval(vlSymsp->__Vm_evalMsgQp);
}
