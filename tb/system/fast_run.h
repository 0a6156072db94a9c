/* The run that both builds of the models must agree on, bit by bit (test_fast_build, test_full_build): traffic of all
 * sizes with losses and a cut, checked, and the pins of all chips at every edge. */
#define FAST_RUN(folder)                                                                                               \
    "--nodes", "2", "--scenario", "uniform", "--sizes", "8..496", "--warmup", "5", "--measure", "30", "--seed", "7",   \
        "--faults", "packet node0>switch body at 10us; cut node1 at 20us for 2us", "--pins", folder
