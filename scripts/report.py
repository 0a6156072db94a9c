#!/usr/bin/env python3
"""Writes what tests did as JUnit XML or as TAP, for the eyes of a CI machine (make test REPORT=junit|tap).

    scripts/report.py junit|tap FOLDER SEED

FOLDER/all has a line for each step (lint, build) and each test program, "NAME EXIT_CODE SECONDS"; a code of "-" says
that it did not run. FOLDER/NAME.log is what it printed; a step has nothing else. Of a program there may be

    FOLDER/NAME.xml     Check's own log: a <test> for each test that has come to an end, each of its elements on a line
    FOLDER/NAME.starts  a line for each of them: when it began [s]
    FOLDER/NAME.list    what --list prints: the tests that there are

A test is a case of the suite NAME, "case.test", with ":i" where it is repeated. A step is a suite with one case. A
program that does not end as Check ends it is one failed case more, "program", and its tests without a result are
skipped; one that did not run is skipped."""
import re
import sys
from xml.sax.saxutils import escape, unescape

import common  # noqa: F401: goes on in tool.py

FORMAT, FOLDER, SEED = sys.argv[1:]
NONE = {"failure": 0, "error": 0, "skipped": 0}


def read(name):
    try:
        with open(f"{FOLDER}/{name}", encoding="latin-1", newline="\n") as f:
            return f.read()
    except OSError:
        return ""


def tail(name, most):
    return "".join(line + "\n" for line in read(f"{name}.log").removesuffix("\n").split("\n")[-most:]) \
        if read(f"{name}.log") else ""


def clean(text):
    """XML 1.0 has no control characters; what is no ASCII becomes a question mark."""
    return re.sub(r"[^\t\n -~]", "?", text)


def escaped(text):
    return escape(clean(text), {'"': "&quot;"})


def attribute(text):
    return escaped(text).replace("\n", "&#10;")


class Suite:
    """A step or a test program: its cases (name, what, seconds or None, text); what: ok, failure, error or skipped."""

    def __init__(self, name, code, seconds):
        self.name, self.code, self.seconds, self.cases = name, code, float(seconds), []
        failed = code not in ("-", "0")
        if "/" not in name:
            if code == "-":
                self.add(name, "skipped", None, "did not run")
            else:
                self.add(name, "failure" if failed else "ok", self.seconds,
                         f"exit code {code}\n" + tail(name, 100) if failed else "")
            return
        self.tests = [line.split()[:4] for line in read(f"{name}.list").splitlines()]
        self.repeated = {(case, test) for case, test, first, end in self.tests if int(end) - int(first) > 1}
        done, whole = self.read_log()
        if not whole:
            if code != "-":
                self.add("program", "error", self.seconds, f"no summary, exit code {code}\n" + tail(name, 20))
            elif not self.tests:
                self.add("program", "skipped", None, "did not run")
            for case, test, first, end in self.tests:
                for i in range(int(first), int(end)):
                    if (case, test, i) not in done:
                        self.add(self.title(case, test, i), "skipped", None,
                                 "did not run" if code == "-" else "no result: the program ended before")
        elif failed and not any(what in ("failure", "error") for _, what, _, _ in self.cases):
            self.add("program", "error", self.seconds, f"exit code {code}\n" + tail(name, 20))

    def title(self, case, test, i):
        return f"{case}.{test}" + (f":{i}" if (case, test) in self.repeated else "")

    def read_log(self):
        """The results in Check's log, and whether it is whole."""
        log, starts, done = read(f"{self.name}.xml"), [float(s) for s in read(f"{self.name}.starts").split()], set()
        for number, (result, text) in enumerate(re.findall(r'^    <test result="(.*?)".*?\n(.*?)^    </test>', log,
                                                           re.M | re.S)):
            said = {name: unescape(value.replace("&#xA;", "\n"), {"&quot;": '"', "&apos;": "'"})
                    for name, value in re.findall(r"^      <(\w+)>(.*)</\w+>", text, re.M)}
            seconds = float(said["duration"])
            if seconds < 0 and number + 1 < len(starts):
                seconds = starts[number + 1] - starts[number]
            case, test, i = said["description"], said["id"], int(said["iteration"])
            done.add((case, test, i))
            good = result == "success"
            self.add(self.title(case, test, i), "ok" if good else result, seconds if seconds >= 0 else None,
                     "" if good else f"{said['path']}/{said['fn']}: {said['message']}")
        return done, "\n</testsuites>" in log

    def add(self, *case):
        self.cases.append(case)

    def count(self):
        found = dict(NONE)
        for _, what, _, _ in self.cases:
            if what != "ok":
                found[what] += 1
        return found

    def xml(self):
        count, suite = self.count(), attribute(self.name)
        out = (f'  <testsuite name="{suite}" tests="{len(self.cases)}" failures="{count["failure"]}" '
               f'errors="{count["error"]}" '
               f'skipped="{count["skipped"]}" time="{self.seconds:.3f}">\n'
               f'    <properties><property name="seed" value="{attribute(SEED)}"/></properties>\n')
        for name, what, seconds, text in self.cases:
            first = attribute(text.split("\n")[0])
            out += f'    <testcase classname="{suite.replace("/", ".")}" name="{attribute(name)}"'
            out += f' time="{seconds:.6f}"' if seconds is not None else ""
            out += {"ok": "/>\n", "skipped": f'>\n      <skipped message="{first}"/>\n    </testcase>\n'}.get(
                what, f'>\n      <{what} message="{first}" type="{what}">{escaped(text)}</{what}>\n    </testcase>\n')
        if count["failure"] + count["error"]:
            out += f"    <system-out>{escaped(tail(self.name, 200))}</system-out>\n"
        return out + "  </testsuite>\n"

    def tap(self, number):
        out = ""
        for number, (name, what, seconds, text) in enumerate(self.cases, number):
            name, text = name.replace("#", "\\#"), clean(text)
            out += f"{'ok' if what in ('ok', 'skipped') else 'not ok'} {number} - {self.name}" \
                + ("" if name == self.name else f" {name}")
            if what == "skipped":
                out += " # SKIP " + text.split("\n")[0] + "\n"
                continue
            out += (f" # time={1000 * seconds:.3f}ms" if seconds is not None else "") + "\n"
            out += "# " + text.removesuffix("\n").replace("\n", "\n# ") + "\n" if text else ""
        return out


suites = [Suite(*line.split()) for line in read("all").splitlines()]
cases = sum(len(s.cases) for s in suites)
if FORMAT == "tap":
    print(f"TAP version 13\n1..{cases}" + ("" if cases else " # SKIP nothing ran"))
    for k, s in enumerate(suites):
        sys.stdout.write(s.tap(1 + sum(len(before.cases) for before in suites[:k])))
else:
    counts = [s.count() for s in suites]
    print('<?xml version="1.0" encoding="UTF-8"?>\n'
          f'<testsuites name="nicxbar" tests="{cases}" failures="{sum(c["failure"] for c in counts)}" '
          f'errors="{sum(c["error"] for c in counts)}" time="{sum(s.seconds for s in suites):.3f}">\n'
          + "".join(s.xml() for s in suites) + "</testsuites>")
