"""Gives a model the same initial values as another build of the same module: the functions in its C++ that set them are replaced.

    python3 -S scripts/tool.py initial_values OTHER.cpp NAME.cpp...      NAME.cpp are written

Verilator sets the variables one by one from a stream of random numbers. A build with waves and probes has more variables: each of them
would start with another value, and a run would not be the same as with the fast build. So the list is that of the OTHER build; for a
variable that is not here, numbers are drawn and dropped. One that is only here has no effect on what comes out; it starts with 0."""
import re

from common import read, write

FUNCTION = re.compile(r"(^\w[^\n]* (\w+)___ctor_var_reset\([^\n]*\{\n(?:.*\n)*?.*// Body.*\n)((?:[^}\n].*\n|\n)*)", re.M)


def statements(body):
    """Each with its variable; a loop is one."""
    whole, part = [], ""
    for line in body.splitlines():
        part = (part + " " + line.lstrip(" ")).lstrip(" ")
        if part[-1:] in tuple(";{}") and part.count("{") <= part.count("}"):
            variable = re.search("vlSelf->[A-Za-z0-9_]+", part)
            whole.append((variable[0] if variable else "", part))
            part = ""
    return whole


def dropped(statement):
    if "VL_RAND_RESET" not in statement: return ""
    statement = re.sub(r"vlSelf->\w+(\[\w+\])* *= *", "", statement, 1)
    return re.sub(r"VL_RAND_RESET_W\((\d+), [^)]*\)",
                  lambda w: f"for (int i = 0; i < {(int(w[1]) + 31) // 32}; ++i) VL_RAND_RESET_I(32)", statement, 1)


def zero(statement): return re.sub(r"VL_RAND_RESET_[IQ]\(\d+\)", "0", statement.replace("VL_RAND_RESET_W", "VL_ZERO_RESET_W"))


def main(arguments):
    with open(arguments[0], encoding="latin-1") as other:
        others = {name: statements(body) for _, name, body in FUNCTION.findall(other.read())}

    def made(function):
        head, name, body = function.groups()
        own, other = statements(body), others.get(name, [])
        here, there = ({variable for variable, _ in part} for part in (own, other))
        lines = [s if variable in here else dropped(s) for variable, s in other] + [zero(s) for variable, s in own if variable not in there]
        return head + "".join(line + "\n" for line in lines)

    for file in arguments[1:]: write(file, FUNCTION.sub(made, read(file)))
