# The empty test of a module that somebody else wrote, of its ports (bindings.py); part of block.sh. Variables: name, module.
function is_reset(port) { return tolower(port) ~ /(^|_)[as]?(rst|reset)(_|n|$)/ }
function is_low(port) { return tolower(port) ~ /(rst|reset)_?(n|ni|b|l)(_|$)/ }
$3 == "input" && $6 == "clock" { clock[++clocks] = $1; field[clocks] = $2 }
$6 == "reset_low" || $6 == "reset_high" { reset[++resets] = $2; low[resets] = $6 == "reset_low"; at_edge[resets] = 1; edges = 1 }
$3 == "input" && $4 == 1 && $6 == "-" && is_reset($1) { reset[++resets] = $2; low[resets] = is_low($1) }
END {
    print "/* " name (name == module ? "" : ", the module " module) ", which was written elsewhere: it comes out of reset and runs."
    print " * That is all that is checked so far; what it is to do belongs here. */"
    print "#include \"" name ".h\""
    print "#include \"simulation.h\""
    print "#include \"test.h\""
    print ""
    print "static sim *s;"
    print "static " name " *m;"
    if (clocks) print "static sim_clock *clocks[" clocks "];"
    print ""
    print "static void setup(void)"
    print "{"
    print "    s = loud_sim(0);"
    print "    m = MODEL_AS(" name ", make_model(s, &" name "_config, \"dut\"), NULL);"
    print "    clear_inputs(m->model);"
    for (i = 1; i <= clocks; i++) {
        print "    clocks[" i - 1 "] = make_clock(s, \"" clock[i] "\", 10 * SIM_NS, " (i == 1 ? 0 : -1) ");"
        print "    sim_model_clock(m->model, clocks[" i - 1 "], m->" field[i] ");"
    }
    for (i = 1; i <= resets; i++) if (at_edge[i])
        print "    *m->" reset[i] " = " (low[i] ? 1 : 0) "; /* it acts without a clock, at its edge */"
    if (edges) print "    sim_model_eval(m->model);"
    for (i = 1; i <= resets; i++) print "    *m->" reset[i] " = " (low[i] ? 0 : 1) ";" (at_edge[i] ? "" : " /* a reset by its name */")
    run = clocks ? "    run_clocks(s, clocks[0], %d);\n" : "    sim_model_eval(m->model);\n"
    if (resets) printf run, 10
    for (i = 1; i <= resets; i++) print "    *m->" reset[i] " = " (low[i] ? 1 : 0) ";"
    print "}"
    print ""
    print "TEST_CASE(\"" name "\", .setup = setup);"
    print ""
    print "TEST(it_comes_out_of_reset_and_runs)"
    print "{"
    printf run, 1000
    if (!clocks) print "    ck_assert_str_eq(sim_error(s), \"\");"
    print "}"
}
