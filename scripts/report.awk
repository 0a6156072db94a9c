# Writes what tests did as JUnit XML or as TAP, for the eyes of a CI machine (make test REPORT=junit|tap).
#
#   awk -f scripts/report.awk -v format=junit -v folder=FOLDER -v seed=1 FOLDER/all
#
# FOLDER/all has a line for each step (lint, build) and each test program, "NAME EXIT_CODE SECONDS"; a code of "-" says that it did not run.
# FOLDER/NAME.log is what it printed; a step has nothing else. Of a program there may be
#
#   FOLDER/NAME.xml     Check's own log: a <test> for each test that has come to an end, each of its elements on a line
#   FOLDER/NAME.starts  a line for each of them: when it began [s]
#   FOLDER/NAME.list    what --list prints: the tests that there are
#
# A test is a case of the suite NAME, "case.test", with ":i" where it is repeated. A step is a suite with one case. A program that does not
# end as Check ends it is one failed case more, "program", and its tests without a result are skipped; one that did not run is skipped.

# XML 1.0 has no control characters; what is no ASCII becomes a question mark.
function clean(text) {
    gsub(/[^\t\n -~]/, "?", text)
    return text
}
function escaped(text) {
    text = clean(text)
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    gsub(/"/, "\\&quot;", text)
    return text
}
# ... of an attribute, on one line.
function attribute(text) {
    text = escaped(text)
    gsub(/\n/, "\\&#10;", text)
    return text
}
# What an element of Check's log says.
function said(line) {
    sub(/^[^>]*>/, "", line)
    sub(/<\/[a-z]*>[^<]*$/, "", line)
    gsub(/&#xA;/, "\n", line)
    gsub(/&lt;/, "<", line)
    gsub(/&gt;/, ">", line)
    gsub(/&quot;/, "\"", line)
    gsub(/&apos;/, "'", line)
    gsub(/&amp;/, "\\&", line)
    return line
}
function first_line(text) {
    sub(/\n.*/, "", text)
    return text
}
# The last lines of a file.
function tail(path, most,    line, n, kept, text, i) {
    while ((getline line < path) > 0) kept[n++ % most] = line
    close(path)
    for (i = n > most ? n - most : 0; i < n; i++) text = text kept[i % most] "\n"
    return text
}

# One more case. What: ok, failure, error or skipped; seconds < 0: not known.
function add(name, what, seconds, text,    element) {
    number++
    if (what != "ok") count[what]++
    if (format == "tap") {
        gsub(/#/, "\\#", name)
        tap = tap (what == "ok" || what == "skipped" ? "ok " : "not ok ") number " - " suite (name == suite ? "" : " " name)
        if (what == "skipped") tap = tap " # SKIP " clean(first_line(text))
        else if (seconds >= 0) tap = tap sprintf(" # time=%.3fms", 1000 * seconds)
        tap = tap "\n"
        if (what == "skipped" || text == "") return
        text = clean(text)
        sub(/\n$/, "", text)
        gsub(/\n/, "\n# ", text)
        tap = tap "# " text "\n"
        return
    }
    element = "    <testcase classname=\"" attribute(class) "\" name=\"" attribute(name) "\""
    if (seconds >= 0) element = element sprintf(" time=\"%.6f\"", seconds)
    if (what == "ok") cases = cases element "/>\n"
    else if (what == "skipped") cases = cases element ">\n      <skipped message=\"" attribute(first_line(text)) "\"/>\n    </testcase>\n"
    else
        cases = cases element ">\n      <" what " message=\"" attribute(first_line(text)) "\" type=\"" what "\">" escaped(text) "</" what \
            ">\n    </testcase>\n"
}

# A test of Check's log has come to its end.
function add_test(    name, seconds) {
    name = of_case "." id ((of_case " " id) in repeated ? ":" iteration : "")
    seconds = duration
    tests++
    if (seconds < 0 && (tests + 1) in started) seconds = started[tests + 1] - started[tests]
    done[of_case " " id " " iteration] = 1
    add(name, result == "success" ? "ok" : result, seconds, result == "success" ? "" : folder_of "/" place ": " message)
}

function read_log(path,    line) {
    while ((getline line < path) > 0) {
        if (line ~ /^    <test result=/) {
            result = line
            sub(/^[^"]*"/, "", result)
            sub(/".*/, "", result)
        }
        else if (line ~ /^      <path>/) folder_of = said(line)
        else if (line ~ /^      <fn>/) place = said(line)
        else if (line ~ /^      <id>/) id = said(line)
        else if (line ~ /^      <iteration>/) iteration = said(line) + 0
        else if (line ~ /^      <duration>/) duration = said(line) + 0
        else if (line ~ /^      <description>/) of_case = said(line)
        else if (line ~ /^      <message>/) message = said(line)
        else if (line ~ /^    <\/test>/) add_test()
        else if (line ~ /^<\/testsuites>/) whole = 1
    }
    close(path)
}

{
    suite = class = $1
    gsub(/\//, ".", class)
    code = $2
    log_of = folder "/" $1 ".log"
    split("", count)
    split("", started)
    split("", done)
    split("", repeated)
    cases = ""
    tests = whole = 0
    before = number
    begun = listed = 0
    while ((getline line < (folder "/" $1 ".starts")) > 0) started[++begun] = line
    close(folder "/" $1 ".starts")
    while ((getline line < (folder "/" $1 ".list")) > 0) {
        there[++listed] = line
        split(line, field, " ")
        if (field[4] - field[3] > 1) repeated[field[1] " " field[2]] = 1
    }
    close(folder "/" $1 ".list")
    read_log(folder "/" $1 ".xml")
    if ($1 !~ /\//) {
        if (code == "-") add($1, "skipped", -1, "did not run")
        else add($1, code ? "failure" : "ok", $3, code ? "exit code " code "\n" tail(log_of, 100) : "")
    }
    else if (!whole) {
        if (code == "-" && !listed) add("program", "skipped", -1, "did not run")
        if (code != "-") add("program", "error", $3, "no summary, exit code " code "\n" tail(log_of, 20))
        for (k = 1; k <= listed; k++) {
            split(there[k], field, " ")
            test = field[1] " " field[2]
            for (i = field[3] + 0; i < field[4] + 0; i++)
                if (!((test " " i) in done))
                    add(field[1] "." field[2] (test in repeated ? ":" i : ""), "skipped", -1,
                        code == "-" ? "did not run" : "no result: the program ended before")
        }
    }
    else if (code && !count["failure"] && !count["error"]) add("program", "error", $3, "exit code " code "\n" tail(log_of, 20))
    sum["failure"] += count["failure"]
    sum["error"] += count["error"]
    sum["skipped"] += count["skipped"]
    seconds += $3
    if (format != "tap")
        suites = suites sprintf("  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" time=\"%.3f\">\n", \
            attribute(suite), number - before, count["failure"], count["error"], count["skipped"], $3) \
            "    <properties><property name=\"seed\" value=\"" attribute(seed) "\"/></properties>\n" cases \
            (count["failure"] + count["error"] ? "    <system-out>" escaped(tail(log_of, 200)) "</system-out>\n" : "") "  </testsuite>\n"
}

END {
    if (format == "tap") printf "TAP version 13\n1..%d%s\n%s", number, number ? "" : " # SKIP nothing ran", tap
    else
        printf "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" \
            "<testsuites name=\"nicxbar\" tests=\"%d\" failures=\"%d\" errors=\"%d\" time=\"%.3f\">\n%s</testsuites>\n", \
            number, sum["failure"], sum["error"], seconds, suites
}
