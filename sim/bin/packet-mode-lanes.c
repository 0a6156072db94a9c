/* packet-mode-lanes: the switches of packet-mode with two priorities, and with packets for sets of outputs. */
#include "nx_program.h"
#include "pm_dpm_lanes.h"
#include "pm_dpm_lanes_4.h"
#include "pm_ppm_lanes.h"
#include "pm_ppm_lanes_4.h"
#include "pm_sm_lanes.h"
#include "pm_sm_lanes_4.h"
#include "pm_sm_split.h"
#include "pm_sm_split_4.h"
#include "pm_vps_lanes.h"
#include "pm_vps_lanes_4.h"
#include "pm_vps_split.h"
#include "pm_vps_split_4.h"
#include "sim/app/packet_mode/pm_program.h"

NX_PROGRAM(NULL);

int main(int argc, char **argv)
{
#define LANES(arch) &pm_##arch##_lanes_config, &pm_##arch##_lanes_4_config
    static const pm_architecture architectures[] = {
        {"sm", "segments", {LANES(sm), LANES(sm), &pm_sm_split_config, &pm_sm_split_4_config}},
        {"ppm", "probabilistic packet mode", {LANES(ppm), LANES(ppm)}},
        {"dpm", "deterministic packet mode", {LANES(dpm), LANES(dpm)}},
        {"vps", "packets of any size", {LANES(vps), LANES(vps), &pm_vps_split_config, &pm_vps_split_4_config}},
        {0},
    };
    return packet_mode(argc, argv, architectures);
}
