# The signals of a model as waves name them, out of Verilator's XML of it (build/models/*/*.xml), one per line, without ranges:
#
#   awk -f scripts/waves/names.awk -v chip=switch MODEL.xml
#
# chip: what the model is called in the simulation. A save file can be checked so before anything is recorded.
function value(key) { return match($0, " " key "=\"[^\"]*\"") ? substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 4) : "" }
function tell(of, path,    i) {
    for (i = 1; i <= vars[of]; i++) print path "." var[of, i]
    for (i = 1; i <= instances[of]; i++) tell(kind[of, i], path "." instance[of, i])
}
/<module / { of = value("name"); depth = 0; if (value("topModule")) top = of }
/<begin( [^>]*[^\/])?>/ { at[++depth] = value("name") }
/<\/begin>/ { depth-- }
/<(var|instance) / {
    name = ""
    for (i = 1; i <= depth; i++) if (at[i] != "") name = name at[i] "."
    if (/<var /) var[of, ++vars[of]] = name value("name")
    else { instance[of, ++instances[of]] = name value("name"); kind[of, instances[of]] = value("defName") }
}
END { tell(top, chip "." top) }
