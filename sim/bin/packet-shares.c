/* packet-shares: the weights of S3's switches, measured; make shares puts weighted schedulers into their slots. */
#include "nx_program.h"
#include "pm_dpm.h"
#include "pm_ppm.h"
#include "pm_sm.h"
#include "pm_vps.h"
#include "sim/app/packet_mode/pm_shares.h"

NX_PROGRAM(NULL);

int main(int argc, char **argv)
{
    static const pm_architecture architectures[] = {
        {"sm", "segments", {&pm_sm_config, NULL}},
        {"ppm", "probabilistic packet mode", {&pm_ppm_config, NULL}},
        {"dpm", "deterministic packet mode", {&pm_dpm_config, NULL}},
        {"vps", "packets of any size", {&pm_vps_config, NULL}},
        {0},
    };
    return packet_shares(argc, argv, architectures);
}
