/* roce-rping: Linux with its software RoCE against the RoCE v2 chip. */
#include "nx_program.h"
#include "roce_64_all.h"
#include "roce_8_all.h"
#include "sim/app/roce/roce_program.h"

NX_PROGRAM(NULL);

int main(int argc, char **argv)
{
    static const sim_config *const chips[] = {&roce_8_all_config, &roce_64_all_config, NULL};
    return roce_rping_program(argc, argv, chips);
}
