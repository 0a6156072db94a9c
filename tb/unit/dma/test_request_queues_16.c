/* The request queues, 16 of 64 descriptors. */
#include "request_queues_16.h"

#define QUEUES 16u
#define DEPTH 64u
#define CONFIG request_queues_16_config

#include "test_request_queues.c"
