/* The request queues, 16 of 64 descriptors. */
#include "request_queues_16.h"

#define QUEUES 16u
#define DEPTH 64u
#define MODEL request_queues_16
#define MODEL_NEW request_queues_16_new
#define MODEL_FREE request_queues_16_free

#include "queue_tests.h"
