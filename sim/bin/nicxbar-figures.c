/* nicxbar-sim for make figures: a switch of 8 ports, and the NICs that some figures are of. */
#include "crossbar8.h"
#include "nic_1voq.h"
#include "nic_2links.h"
#include "nic_2paths.h"
#include "nic_2paths_rr.h"
#include "nic_4links.h"
#include "nic_4paths.h"
#include "nic_4splits.h"
#include "nic_4splits_2links.h"
#include "nic_4splits_4links.h"
#include "nx_program.h"
#include "program.h"

LANES("nic");

static const nic_kind nics[] = {{"4splits", &nic_4splits_config},
                                {"1voq", &nic_1voq_config},
                                {"2links", &nic_2links_config},
                                {"4links", &nic_4links_config},
                                {"4splits-2links", &nic_4splits_2links_config},
                                {"4splits-4links", &nic_4splits_4links_config},
                                {"2paths", &nic_2paths_config},
                                {"2paths_rr", &nic_2paths_rr_config},
                                {"4paths", &nic_4paths_config},
                                {NULL, NULL}};

NX_PROGRAM(NULL);

int main(int argc, char **argv)
{
    return nicxbar_sim(argc, argv, &(const program_chips){&crossbar8_config, &nic_config, nics});
}
