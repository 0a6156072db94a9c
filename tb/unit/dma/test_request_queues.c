/* The request queues, 8 of 128 descriptors. */
#include "request_queues.h"

#define QUEUES 8u
#define DEPTH 128u
#define CONFIG request_queues_config

#include "queue_tests.h"
