# Who may use whom in sim/: a file includes headers of its own folder and of folders above it in the table of sim/README.md.
#
#   awk -f scripts/layers.awk sim/README.md $(find sim -name '*.[ch]')        a line for each file that does not, and exit code 1
function folder(path,    part) { split(path, part, "/"); return part[2] }
function say(text) { print FILENAME ":" FNR ": " text; bad = 1 }
BEGIN { for (i = 2; i < ARGC; i++) { n = split(ARGV[i], part, "/"); home[part[n]] = part[2] } }
FILENAME == ARGV[1] {
    if (match($0, /^\| `[a-z_]+` \|/)) rank[substr($0, 4, RLENGTH - 6)] = ++ranks
    next
}
FNR == 1 && !(folder(FILENAME) in rank) { say("the folder is not in " ARGV[1]) }
/^[ \t]*#[ \t]*include[ \t]*"/ {
    name = $0; sub(/^[^"]*"/, "", name); sub(/".*/, "", name); sub(/.*\//, "", name)
    if (name in home && rank[home[name]] > rank[folder(FILENAME)])
        say(name " is in sim/" home[name] ", which stands behind sim/" folder(FILENAME) " in " ARGV[1])
}
END { exit bad }
