/* packet-mode: the switches of S3's appendix, one run each. */
#include "nx_program.h"
#include "pm_dpm.h"
#include "pm_dpm_4.h"
#include "pm_iq_16.h"
#include "pm_iq_4.h"
#include "pm_ppm.h"
#include "pm_ppm_4.h"
#include "pm_sm.h"
#include "pm_sm_4.h"
#include "pm_vps.h"
#include "pm_vps_4.h"
#include "sim/app/packet_mode/pm_program.h"

NX_PROGRAM(NULL);

int main(int argc, char **argv)
{
    static const pm_architecture architectures[] = {
        {"sm", "segments", {&pm_sm_config, &pm_sm_4_config}},
        {"ppm", "probabilistic packet mode", {&pm_ppm_config, &pm_ppm_4_config}},
        {"dpm", "deterministic packet mode", {&pm_dpm_config, &pm_dpm_4_config}},
        {"vps", "packets of any size", {&pm_vps_config, &pm_vps_4_config}},
        {"iq", "bufferless crossbar, packets in cells", {&pm_iq_16_config, &pm_iq_4_config}},
        {0},
    };
    return packet_mode(argc, argv, architectures);
}
