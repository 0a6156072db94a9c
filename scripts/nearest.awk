# Of the words of a list those that are nearest to one that is none of them, three at most:
#
#   awk -f scripts/nearest.awk LAOD 'LOAD NODES ...'       prints "LOAD, ..."
#
# Near is what takes few letters changed, or what begins or goes on as the word does.
function distance(a, b,    i, k, row, corner, least, n) {
    n = length(b)
    for (k = 0; k <= n; k++) row[k] = k
    for (i = 1; i <= length(a); i++) {
        corner = row[0]
        row[0] = i
        for (k = 1; k <= n; k++) {
            least = corner + (substr(a, i, 1) != substr(b, k, 1))
            corner = row[k]
            if (row[k] + 1 < least) least = row[k] + 1
            if (row[k - 1] + 1 < least) least = row[k - 1] + 1
            row[k] = least
        }
    }
    return row[n] + 0
}
BEGIN {
    word = ARGV[1]
    count = split(ARGV[2], list, /[ \n]+/)
    for (i = 1; i <= count; i++) {
        far[i] = distance(toupper(word), toupper(list[i]))
        if (index(toupper(list[i]), toupper(word)) && far[i] > 1) far[i] = 1 + far[i] / 100
    }
    for (taken = 0; taken < 3 && taken < count; taken++) {
        best = 0
        for (i = 1; i <= count; i++) if (!(i in gone) && list[i] != "" && (!best || far[i] < far[best])) best = i
        if (!best || (taken && far[best] > far[first] + 0.5)) break
        if (!taken) first = best
        gone[best]
        printf "%s%s", taken ? ", " : "", list[best]
    }
    print ""
}
