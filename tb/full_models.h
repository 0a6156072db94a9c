/* A test that includes this is linked with models that record waves and show their probes (scripts/programs.py). Others
 * are only when they have failed, or with WAVES=1. */
