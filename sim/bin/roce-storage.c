/* roce-storage: a storage node on the RoCE v2 chip. */
#include "nx_program.h"
#include "roce_64_all.h"
#include "roce_8.h"
#include "sim/app/roce/roce_program.h"

NX_PROGRAM(NULL);

int main(int argc, char **argv)
{
    static const sim_config *const chips[] = {&roce_8_config, &roce_64_all_config, NULL};
    return roce_storage_program(argc, argv, chips);
}
