/* The request queues, 8 of 128 descriptors. */
#include "request_queues.h"

#define QUEUES 8u
#define DEPTH 128u
#define MODEL request_queues
#define MODEL_NEW request_queues_new
#define MODEL_FREE request_queues_free

#include "queue_tests.h"
