# The waves of a module that somebody else wrote, of its ports (bindings.py); part of block.sh. Variables: name, top, test.
BEGIN {
    print "[*] GTKWave save file of the test of " name ": make test TEST=" test " WAVES=1 && make wave."
    print "[size] 1400 800"
    print "[pos] -1 -1"
    print "*-16.000000 0 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1"
    print "[sst_width] 200"
    print "[signals_width] 200"
    print "[sst_expanded] 1"
    print "[sst_vpaned_height] 300"
}
{ line[NR] = ($4 == 1 ? "@28" : "@22") "\ndut." top "." $1 ($5 == "-" ? "" : $5); first[NR] = $6 != "-"; out[NR] = $3 == "output" }
END {
    for (i = 1; i <= NR; i++) if (first[i]) print line[i]
    print "@200\n-inputs"
    for (i = 1; i <= NR; i++) if (!first[i] && !out[i]) print line[i]
    print "@200\n-outputs"
    for (i = 1; i <= NR; i++) if (!first[i] && out[i]) print line[i]
}
