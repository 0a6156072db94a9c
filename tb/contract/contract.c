#include "contract.h"

#include <stdio.h>
#include <string.h>

static const contract *now;

sim *contract_sim(sim_time period, sim_clock **clk)
{
    sim_params p;
    sim_params_default(&p);
    p.watchdog = 0;
    p.quiet = 1;
    sim *s = sim_new(&p);
    *clk = sim_clock_new(s, &(sim_clock_params){.name = "clk", .period = period, .phase = period / 2});
    return s;
}

void contract_complain(char complaint[CONTRACT_COMPLAINT], uint64_t clock, const char *format, va_list list)
{
    if (complaint[0]) return;
    int at = snprintf(complaint, CONTRACT_COMPLAINT, "clock %llu: ", (unsigned long long)clock);
    vsnprintf(complaint + at, CONTRACT_COMPLAINT - (size_t)at, format, list);
}

static void keeps(unsigned candidate)
{
    char complaint[CONTRACT_COMPLAINT];
    *now->switched_on = 0;
    for (unsigned i = 0; i < now->checks; i++)
        if (now->judge(candidate, i, complaint))
            ck_abort_msg("%s breaks the contract in %s: %s", now->candidate[candidate].name, now->check_name(i), complaint);
}

START_TEST(the_block_in_the_slot_keeps_the_contract)
{
    keeps((unsigned)_i);
}
END_TEST

START_TEST(another_block_keeps_the_contract)
{
    keeps((unsigned)_i);
}
END_TEST

START_TEST(without_a_fault_it_passes)
{
    keeps((unsigned)_i);
}
END_TEST

START_TEST(a_broken_block_is_caught)
{
    const contract_fault *f = &now->fault[_i];
    unsigned check = 0, judged = 0;
    while (check < now->checks && strcmp(now->check_name(check), f->check)) check++;
    ck_assert_msg(check < now->checks, "no check %s", f->check);
    *now->switched_on = f->fault;
    for (unsigned i = 0; i < now->candidates; i++) {
        char complaint[CONTRACT_COMPLAINT] = "";
        if (now->candidate[i].is != BROKEN_BLOCK) continue;
        ck_assert_msg(now->judge(i, check, complaint) != 0, "%s: fault %u passes %s", now->candidate[i].name, f->fault, f->check);
        ck_assert_msg(strstr(complaint, f->says) != NULL, "%s: fault %u: %s", now->candidate[i].name, f->fault, complaint);
        judged++;
    }
    ck_assert_uint_gt(judged, 0);
}
END_TEST

int contract_main(const contract *c)
{
    char title[100];
    now = c;
    snprintf(title, sizeof title, "contract of the %s", c->slot);
    Suite *suite = suite_create(title);
    TCase *tcase[] = {tcase_create("slot"), tcase_create("other"), tcase_create("broken")};
    for (unsigned i = 0; i < 3; i++) {
        tcase_set_timeout(tcase[i], 300);
        suite_add_tcase(suite, tcase[i]);
    }
    for (int i = 0; i < (int)c->candidates; i++) switch (c->candidate[i].is) {
        case IN_SLOT:
            tcase_add_loop_test(tcase[0], the_block_in_the_slot_keeps_the_contract, i, i + 1);
            break;
        case OTHER_BLOCK:
            tcase_add_loop_test(tcase[1], another_block_keeps_the_contract, i, i + 1);
            break;
        default:
            tcase_add_loop_test(tcase[2], without_a_fault_it_passes, i, i + 1);
        }
    tcase_add_loop_test(tcase[2], a_broken_block_is_caught, 0, (int)c->faults);
    if (c->more) c->more(suite);
    SRunner *r = srunner_create(suite);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
