/* The texts: what scripts/texts.py refuses in them, and the tables that scripts/doc.py writes into them. */
#include "shell.h"
#include "test.h"

TEST_CASE("texts", .timeout = 60, .teardown = shell_clean);

static const struct {
    const char *text, *message; /* NULL: good */
} shown[] = {
    {"[a](rtl/b.md) [b](rtl/b.md#a-head-of-b) `rtl/b.v` `rtl/b` `tb/unit/test_NAME.c` [c](https://x.org/y#z)\n", NULL},
    {"see [b](rtl/c.md)\n", "texts: README.md: (rtl/c.md): there is no such file\n"},
    {"see [b](rtl/b.md#no-head)\n", "texts: README.md: (rtl/b.md#no-head): rtl/b.md has no such heading\n"},
    {"see `rtl/c.v`\n", "texts: README.md: `rtl/c.v`: there is no such file or folder\n"},
};

TEST(a_text_names_what_is_there, .to = COUNT(shown))
{
    shell_put("README.md", shown[_i].text);
    ck_shell_says(shown[_i].message != NULL, shown[_i].message ? shown[_i].message : "",
                  "mkdir $D/rtl && echo '## A head of `b`' >$D/rtl/b.md && touch $D/rtl/b.v && ${PYTHON:-python3} "
                  "scripts/texts.py $D");
}

TEST(a_readme_has_150_lines_at_most)
{
    ck_shell_says(0, "", "seq 150 >$D/README.md && ${PYTHON:-python3} scripts/texts.py $D");
    ck_shell_says(1, "texts: README.md: 151 lines; expected 150 at most",
                  "seq 151 >$D/README.md && ${PYTHON:-python3} scripts/texts.py $D");
}

static const char text[] = "before\n"
                           "<!-- make x:\nb\n  c -->\nold\n<!-- end -->\n"
                           "<!-- make y -->\nkept\n<!-- end -->\n"
                           "<!-- make x -->\nold\n<!-- end -->\n";
#define TABLE "printf 'row value\\na 1\\nb 2\\nc 3\\nGOOD: all in x.json\\n'"
#define DOC                                                                                                            \
    "cp scripts/doc.py scripts/tool.py scripts/common.py $D && cd $D && VERILATOR=true YOSYS='echo Yosys' "            \
    "${PYTHON:-python3} doc.py 'make x' "

TEST(a_measured_table_is_written_where_it_belongs)
{
    shell_put("t.md", text);
    ck_shell_says(0, "c 3\nGOOD: all in x.json\nwritten into t.md\n", DOC "sh -c \"" TABLE "\"");
    ck_shell_says(0, "before\n<!-- make x:\nb\n  c -->\n```\nrow value\nb 2\nc 3\n```\n\nMeasured at ", "cat $D/t.md");
    ck_output_has("<!-- make y -->\nkept\n<!-- end -->\n");
    ck_output_has("<!-- make x -->\n```\nrow value\na 1\nb 2\nc 3\n```\n");
    ck_output_lacks("old");
    ck_output_lacks("GOOD");
}

/* Then the texts stay as they are. */
static const struct {
    const char *command, *message;
    int code;
} failing[] = {
    {"sh -c 'echo row; exit 3'", "row\n", 3},
    {"sh -c 'echo row; echo b 1'", "t.md: no row c; expected rows that the command prints\n", 1},
};

TEST(what_fails_changes_no_text, .to = COUNT(failing))
{
    shell_put("t.md", text);
    ck_shell_says(failing[_i].code, failing[_i].message, DOC "%s", failing[_i].command);
    ck_shell_says(0, "", "[ $(grep -c old $D/t.md) = 2 ]");
}

TEST(a_table_without_a_place_is_not_measured)
{
    shell_put("t.md", "<!-- make z -->\n<!-- end -->\n");
    ck_shell_says(1, "make x: no text has a place <!-- make x --> .. <!-- end -->\n", DOC "touch measured");
    ck_shell_says(1, "", "test -e $D/measured");
}

/* ---- tutorial.py ---- */

#define TUTORIAL "${PYTHON:-python3} -S $D/tree/scripts/tool.py tutorial $D/"

/* make tutorial runs it as it is written; here make only says whether it would, which puts the tutorial's block into
 * its slot. */
TEST(every_command_of_the_tutorial_is_one)
{
    ck_shell_says(0, " steps checked, as they are written\n",
                  "${PYTHON:-python3} -S scripts/tool.py tutorial --check $D/all");
    ck_assert_int_eq(
        shell_says("cd $D/all/work && verilator --lint-only -Wall --default-language 1364-2005 -y nicxbar/rtl/switch "
                   "-y nicxbar/rtl/common nicxbar/scripts/lint.vlt mine/express.v >$D/says 2>&1; code=$?; "
                   "grep -v '^- ' $D/says; exit $code"), /* statistics of 5.022 and newer */
        0);
    ck_assert_str_eq(shell_output, "");
}

TEST(a_tutorial_that_is_wrong_is_found)
{
    ck_assert_int_eq(
        shell_says(
            "mkdir -p $D/tree/scripts && cp scripts/tool.py scripts/common.py scripts/tutorial.py $D/tree/scripts"),
        0);
    shell_put("tree/scripts/tutorial.md",
              "Say:\n```sh\necho one; echo 'two  3 four'\n```\n```\none\ntwo ... four\n```\n```sh\nmkdir x\ncd x\n"
              "```\n```sh\ntest $(basename $PWD) = x\n```\n```sh\necho no; false\n```\n```\nmake: *** ...\n```\n");
    ck_shell_says(1, "expected the line: make: *** ...", TUTORIAL "a");
    ck_shell_says(0, "tutorial: 4 steps, as they are written\n",
                  "sed -i 's/echo no/echo make: [***] Error/; s/.[*][*][*]. Error/*** Error/' "
                  "$D/tree/scripts/tutorial.md; " TUTORIAL "b");
    ck_shell_says(1, "expected the line: two ... five",
                  "sed -i 's/two ... four/two ... five/' $D/tree/scripts/tutorial.md; " TUTORIAL "c");
    ck_shell_says(1, "the commands above ended with 1: false",
                  "sed -i 's/^echo one.*/false/' $D/tree/scripts/tutorial.md; " TUTORIAL "d");
    ck_shell_says(1, "expected a folder that is not there yet", TUTORIAL "d");
}
