/* Kinds of NIC by name. */
#ifndef SIM_SYSTEM_CHIPS_NIC_KIND_H
#define SIM_SYSTEM_CHIPS_NIC_KIND_H

#include "sim/core/kernel/model.h"

/* A kind under the name that a user chooses it by. */
typedef struct nic_kind {
    const char *name; /* NULL: the end */
    const sim_config *config;
} nic_kind;
/* The one of that name in such a list, NULL: there is none, or no list. */
const sim_config *nic_kind_of(const nic_kind *kinds, const char *name);

#endif
