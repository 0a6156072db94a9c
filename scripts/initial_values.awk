# Gives a model the same initial values as another build of the same module: prints its C++ with the functions that set them made anew.
#
#   awk -f scripts/initial_values.awk OTHER.cpp NAME.cpp > NEW.cpp
#
# Verilator sets the variables one by one from a stream of random numbers. A build with waves and probes has more variables: each of them
# would start with another value, and a run would not be the same as with the fast build. So the list is that of the OTHER build; for a
# variable that is not here, numbers are drawn and dropped. One that is only here has no effect on what comes out; it starts with 0.
function member(statement) { return match(statement, /vlSelf->[A-Za-z0-9_]+/) ? substr(statement, RSTART, RLENGTH) : "" }
function dropped(statement,    words) {
    if (statement !~ /VL_RAND_RESET/) return ""
    sub(/vlSelf->[A-Za-z0-9_]+(\[[A-Za-z0-9_]+\])* *= */, "", statement)
    if (match(statement, /VL_RAND_RESET_W\([0-9]+, [^)]*\)/)) {
        words = int((substr(statement, RSTART + 16) + 31) / 32)
        statement = substr(statement, 1, RSTART - 1) "for (int i = 0; i < " words "; ++i) VL_RAND_RESET_I(32)" \
            substr(statement, RSTART + RLENGTH)
    }
    return statement
}
function zero(statement) {
    gsub(/VL_RAND_RESET_W/, "VL_ZERO_RESET_W", statement)
    gsub(/VL_RAND_RESET_[IQ]\([0-9]+\)/, "0", statement)
    return statement
}
FNR == 1 { file++ }
/___ctor_var_reset\(.*\{$/ {
    class = $0
    sub(/___ctor_var_reset.*/, "", class)
    sub(/.* /, "", class)
    inside = 1
    body = 0
    own = 0
    split("", here)
    split("", there)
    if (file == 2) for (i = 1; i <= count[class]; i++) there[member(list[class, i])]
}
inside && body && /^\}/ {
    inside = 0
    if (file == 2) {
        for (i = 1; i <= count[class]; i++) print member(list[class, i]) in here ? list[class, i] : dropped(list[class, i])
        for (i = 1; i <= own; i++) if (!(member(mine[i]) in there)) print zero(mine[i])
    }
}
# A statement, or a whole loop.
inside && body {
    sub(/^ +/, "")
    statement = statement == "" ? $0 : statement " " $0
    if (statement !~ /[;{}]$/ || gsub(/\{/, "{", statement) > gsub(/\}/, "}", statement)) next
    if (file == 1) list[class, ++count[class]] = statement
    else { mine[++own] = statement; here[member(statement)] }
    statement = ""
    next
}
inside && /\/\/ Body/ { body = 1 }
file == 2 { print }
