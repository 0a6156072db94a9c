/* The contract of the slot "DMA queue scheduler" (the head of rtl/nic/dma/dma_queue_scheduler.v has it in words). */
#ifndef TB_CONTRACT_DMA_QUEUE_SCHEDULER_H
#define TB_CONTRACT_DMA_QUEUE_SCHEDULER_H

#include "queue_choice.h"

extern const contract_slot dma_queue_scheduler_slot;

#endif
