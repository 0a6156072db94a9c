/* pm-curves: the curves of S3's appendix (make curves). */
#include "nx_program.h"
#include "pm_dpm.h"
#include "pm_dpm_1280.h"
#include "pm_dpm_4.h"
#include "pm_dpm_lanes.h"
#include "pm_dpm_sent.h"
#include "pm_iq_16.h"
#include "pm_iq_4.h"
#include "pm_ppm.h"
#include "pm_ppm_1280.h"
#include "pm_ppm_4.h"
#include "pm_ppm_lanes.h"
#include "pm_sm.h"
#include "pm_sm_1280.h"
#include "pm_sm_4.h"
#include "pm_sm_lanes.h"
#include "pm_sm_lanes_128.h"
#include "pm_sm_split.h"
#include "pm_vps.h"
#include "pm_vps_1280.h"
#include "pm_vps_4.h"
#include "pm_vps_lanes.h"
#include "pm_vps_split.h"
#include "sim/app/packet_mode/pm_curves.h"

NX_PROGRAM(NULL);

int main(int argc, char **argv)
{
    static const pm_architecture architectures[] = {
        {"sm", "segments", {&pm_sm_config, &pm_sm_4_config, &pm_sm_lanes_config, NULL, &pm_sm_split_config}},
        {"ppm", "probabilistic packet mode", {&pm_ppm_config, &pm_ppm_4_config, &pm_ppm_lanes_config}},
        {"dpm", "deterministic packet mode", {&pm_dpm_config, &pm_dpm_4_config, &pm_dpm_lanes_config}},
        {"vps",
         "packets of any size",
         {&pm_vps_config, &pm_vps_4_config, &pm_vps_lanes_config, NULL, &pm_vps_split_config}},
        {"iq", "bufferless crossbar, packets in cells", {&pm_iq_16_config, &pm_iq_4_config}},
        {"dpmsent", "deterministic packet mode, locks until the packet has been sent", {&pm_dpm_sent_config, NULL}},
        {"sm128", "segments, two in a crosspoint of each priority", {NULL, NULL, &pm_sm_lanes_128_config}},
        {"sm1280", "segments, longest packets of 10240 bytes", {&pm_sm_1280_config, NULL}},
        {"ppm1280", "probabilistic packet mode, longest packets of 10240 bytes", {&pm_ppm_1280_config, NULL}},
        {"dpm1280", "deterministic packet mode, longest packets of 10240 bytes", {&pm_dpm_1280_config, NULL}},
        {"vps1280", "packets of any size, longest packets of 10240 bytes", {&pm_vps_1280_config, NULL}},
        {0},
    };
    return pm_curves(argc, argv, architectures);
}
