# Register map generator: one description in, one of three texts out.
#
#   awk -f scripts/registers.awk -v format=verilog  rtl/monitor/registers.map > nic_registers.vh
#   awk -f scripts/registers.awk -v format=c        rtl/monitor/registers.map > nic_register_map.h
#   awk -f scripts/registers.awk -v format=markdown rtl/monitor/registers.map > registers.md
#
# Options (-v NAME=VALUE):  prefix  first part of every macro (default NIC)
#                           window  bytes that registers may take (default 16384: the request queues start at 0x4000)
#                           place   where offsets count from, for comments (default BAR1)
#
# Input, one directive per line, # starts a comment line:
#
#   reg   OFFSET  NAME         ACCESS  RESET  TEXT      a 32-bit register
#   array OFFSET  NAME  COUNT  ACCESS  RESET  TEXT      COUNT registers, 4 bytes apart
#   field MSB:LSB NAME         TEXT                     bits of the register (or array) above
#
# OFFSET is a byte offset 0x.., a multiple of 4; RESET is 0x.., at most 32 bits; names are capitals, digits and _, starting with a
# capital; ACCESS is one of rw ro rc nc w1c (what they mean stands in the map itself).
#
# Output names, for a register CONTROL with a field HEAD and a one-bit field DIRECT:
#
#   verilog   `NIC_CONTROL 15'h0000   `NIC_CONTROL_RESET 32'h..   `NIC_CONTROL_HEAD_MSB/_LSB   `NIC_CONTROL_DIRECT_MSB/_LSB/_BIT
#   c          NIC_CONTROL 0x0000u     NIC_CONTROL_RESET 0x..u     NIC_CONTROL_HEAD_MASK/_SHIFT; tables nic_registers[], nic_fields[]
#   both      an array Q also has NIC_Q_COUNT
#
# Whatever is wrong in the input is refused as FILE:LINE: what stands there, what was expected. All errors of a file are reported, the
# exit code is 1 and nothing is written. POSIX awk only: no strtonum, no bit operations, no gensub.

BEGIN {
  if (prefix == "") prefix = "NIC"
  if (window == "") window = 16384
  if (place == "") place = "BAR1"
  ACCESS = " rw ro rc nc w1c "
  errors = 0; registers = 0; fields = 0; macros = 0
  if (format != "verilog" && format != "c" && format != "markdown") {
    complain("registers.awk", "format is '" format "', expected -v format=verilog, c or markdown")
    exit 1
  }
}

{ sub(/\r$/, "") }
/^[ \t]*(#|$)/ { next }
$1 == "reg"   { add_register(5, 1); next }
$1 == "array" { add_register(6, 0); next }
$1 == "field" { add_field(); next }
              { refuse("unknown directive '" $1 "', expected reg, array or field") }

END {
  if (!errors && !registers)
    complain(FILENAME == "" ? "registers.awk" : FILENAME, "no register found, expected at least one reg or array line")
  if (errors) { close("cat 1>&2"); exit 1 }
  if (format == "verilog") write_verilog()
  else if (format == "c") write_c()
  else write_markdown()
}

# ---- reading

function add_register(text_from, single,    offset, name, count, access, reset, i, word) {
  offset = $2; name = $3
  count = single ? 1 : $4
  access = single ? $4 : $5
  reset = single ? $5 : $6
  if (NF < text_from + 1) {
    current = 0
    refuse(NF " words, expected " (single ? "reg OFFSET NAME ACCESS RESET TEXT" : "array OFFSET NAME COUNT ACCESS RESET TEXT"))
    return
  }
  registers++
  current = registers
  line_of[current] = NR
  text[current] = rest(text_from)
  reg_count[current] = 1
  is_array[current] = !single
  reg_name[current] = name
  reg_access[current] = access
  reg_reset[current] = "00000000"

  if (index(ACCESS, " " access " ") == 0) refuse("unknown access '" access "', expected rw, ro, rc, nc or w1c")
  if (!is_hex(reset, 8)) refuse("reset value '" reset "', expected 0x and at most 8 hexadecimal digits")
  else reg_reset[current] = pad(tolower(substr(reset, 3)), 8)
  if (!single) {
    if (count !~ /^[0-9]+$/ || count + 0 < 1 || count + 0 > window / 4)
      refuse("count '" count "', expected a decimal number from 1 to " window / 4)
    else reg_count[current] = count + 0
    claim(prefix "_" name "_COUNT")
  }
  if (name_is_good(name)) {
    if (name in first_use) refuse("duplicate name " name ", expected a new one (line " first_use[name] " has it)")
    else { first_use[name] = NR; claim(prefix "_" name); claim(prefix "_" name "_RESET") }
  }
  if (!is_hex(offset, 8)) { refuse("offset '" offset "', expected 0x and hexadecimal digits"); return }
  offset = from_hex(offset)
  reg_offset[current] = offset
  if (offset % 4) { refuse("unaligned offset " $2 ", expected a multiple of 4"); return }
  if (offset + 4 * reg_count[current] > window) {
    refuse(name " ends at 0x" to_hex(offset + 4 * reg_count[current], 4) ", expected it to end at or below 0x" to_hex(window, 4))
    return
  }
  for (i = 0; i < reg_count[current]; i++) {
    word = offset + 4 * i
    if (word in owner) {
      refuse(name " overlaps " reg_name[owner[word]] " (line " line_of[owner[word]] ") at 0x" to_hex(word, 4) ", expected a free offset")
      return
    }
    owner[word] = current
  }
}

function add_field(    bits, i, msb, lsb, name) {
  if (NF < 4) { refuse(NF " words, expected field MSB:LSB NAME TEXT"); return }
  if (!current) { refuse("field " $3 " belongs to no register, expected a reg or array line before it"); return }
  if ($2 !~ /^[0-9]+:[0-9]+$/) { refuse("bits '" $2 "', expected MSB:LSB in decimal"); return }
  split($2, bits, ":")
  msb = bits[1] + 0; lsb = bits[2] + 0; name = $3
  if (msb > 31 || lsb > msb) { refuse("bits " $2 " of field " name " are out of range, expected 31 >= MSB >= LSB >= 0"); return }
  if (!name_is_good(name)) return
  if ((current, name) in field_line) {
    refuse("duplicate name " name " in register " reg_name[current] ", expected a new one (line " field_line[current, name] " has it)")
    return
  }
  field_line[current, name] = NR
  for (i = lsb; i <= msb; i++)
    if ((current, i) in bit_owner) {
      refuse("field " name " overlaps " field_name[bit_owner[current, i]] " of register " reg_name[current] " in bit " i \
             ", expected free bits")
      return
    }
  fields++
  for (i = lsb; i <= msb; i++) bit_owner[current, i] = fields
  field_reg[fields] = current
  field_name[fields] = name
  field_msb[fields] = msb
  field_lsb[fields] = lsb
  field_text[fields] = rest(3)
  bits[1] = prefix "_" reg_name[current] "_" name
  claim(bits[1] "_MASK"); claim(bits[1] "_SHIFT"); claim(bits[1] "_MSB"); claim(bits[1] "_LSB"); claim(bits[1] "_BIT")
}

# Two different names of the map must not meet in one macro (register A_B with a field C, register A with a field B_C).
function claim(macro) {
  if (macro in macro_line) refuse("macro " macro " is already made by line " macro_line[macro] ", expected a name that gives a new one")
  else macro_line[macro] = NR
}

function name_is_good(name) {
  if (name ~ /^[A-Z][A-Z0-9_]*$/) return 1
  refuse("name '" name "', expected capitals, digits and _, starting with a capital")
  return 0
}

# The line without its first n words.
function rest(n,    line, i) {
  line = $0
  for (i = 0; i < n; i++) sub(/^[ \t]*[^ \t]+/, "", line)
  sub(/^[ \t]+/, "", line); sub(/[ \t]+$/, "", line)
  return line
}

function refuse(message) { complain(FILENAME ":" FNR, message) }
function complain(place, message) { errors++; print place ": " message | "cat 1>&2" }

# ---- numbers

function is_hex(word, digits) { return word ~ /^0[xX][0-9a-fA-F]+$/ && length(word) <= digits + 2 }
function from_hex(word,    i, value) {
  word = tolower(substr(word, 3)); value = 0
  for (i = 1; i <= length(word); i++) value = value * 16 + index("0123456789abcdef", substr(word, i, 1)) - 1
  return value
}
function to_hex(value, digits,    out) {
  out = ""
  while (value > 0 || length(out) < digits) {
    out = substr("0123456789abcdef", value % 16 + 1, 1) out
    value = int(value / 16)
  }
  return out
}
function pad(word, digits) { while (length(word) < digits) word = "0" word; return word }
function mask(msb, lsb) { return to_hex(2 ^ (msb + 1) - 2 ^ lsb, 8) }

# Escapes for C strings and Markdown cells.
function quoted(s,    i, c, out) {
  out = ""
  for (i = 1; i <= length(s); i++) {
    c = substr(s, i, 1)
    out = out ((c == "\"" || c == "\\") ? "\\" c : c)
  }
  return "\"" out "\""
}
function cell(s,    i, c, out) {
  out = ""
  for (i = 1; i <= length(s); i++) {
    c = substr(s, i, 1)
    out = out (c == "|" ? "\\|" : c == "<" ? "&lt;" : c == ">" ? "&gt;" : c)
  }
  return out
}

# ---- writing

function define(mark, name, value) { printf("%sdefine %-44s %s\n", mark, prefix "_" name, value) }

function write_verilog(    r, f, n) {
  n = prefix "_REGISTERS_VH"
  print "// Made by scripts/registers.awk from the register map; edit the map, not this file."
  print "`ifndef " n
  print "`define " n
  for (r = 1; r <= registers; r++) {
    print ""
    print "// " reg_access[r] ": " text[r]
    define("`", reg_name[r], "15'h" to_hex(reg_offset[r], 4))
    define("`", reg_name[r] "_RESET", "32'h" reg_reset[r])
    if (is_array[r]) define("`", reg_name[r] "_COUNT", reg_count[r])
    for (f = 1; f <= fields; f++) {
      if (field_reg[f] != r) continue
      n = reg_name[r] "_" field_name[f]
      define("`", n "_MSB", field_msb[f])
      define("`", n "_LSB", field_lsb[f])
      if (field_msb[f] == field_lsb[f]) define("`", n "_BIT", field_lsb[f])
    }
  }
  print ""
  print "`endif"
}

function write_c(    r, f, n) {
  n = tolower(prefix)
  print "/* Made by scripts/registers.awk from the register map; edit the map, not this file.\n *"
  print " * Byte offsets in " place ", reset values, masks and shifts of fields; and two tables for tools and tests: " n "_registers[]"
  print " * (" prefix "_REGISTER_TABLE_COUNT entries, in the order of the map) and " n "_fields[] (" prefix \
        "_FIELD_TABLE_COUNT entries). */"
  print "#ifndef " prefix "_REGISTERS_H"
  print "#define " prefix "_REGISTERS_H\n"
  print "#include <stdint.h>"
  for (r = 1; r <= registers; r++) {
    print ""
    printf("/* %s: %s */\n", reg_access[r], comment(text[r]))
    define("#", reg_name[r], "0x" to_hex(reg_offset[r], 4) "u")
    define("#", reg_name[r] "_RESET", "0x" reg_reset[r] "u")
    if (is_array[r]) define("#", reg_name[r] "_COUNT", reg_count[r] "u")
    for (f = 1; f <= fields; f++) {
      if (field_reg[f] != r) continue
      define("#", reg_name[r] "_" field_name[f] "_MASK", "0x" mask(field_msb[f], field_lsb[f]) "u")
      define("#", reg_name[r] "_" field_name[f] "_SHIFT", field_lsb[f])
    }
  }
  print ""
  define("#", "REGISTER_TABLE_COUNT", registers "u")
  define("#", "FIELD_TABLE_COUNT", fields "u")
  print "\n/* One register, or an array of `count` registers 4 bytes apart; access: rw, ro, rc, nc or w1c. */"
  print "struct " n "_register {\n  const char *name;\n  unsigned offset; /* [bytes] from the start of " place " */"
  print "  const char *access;\n  uint32_t reset;\n  unsigned count;\n  const char *text;\n};"
  print "\n/* Bits msb..lsb of the register (or of each register of the array) at `offset`. */"
  print "struct " n "_field {\n  unsigned offset; /* [bytes] */\n  const char *name;\n  unsigned msb, lsb;\n  const char *text;\n};\n"
  print "static const struct " n "_register " n "_registers[" registers "] = {"
  for (r = 1; r <= registers; r++)
    printf("    {\"%s\", 0x%su, \"%s\", 0x%su, %du, %s},\n", reg_name[r], to_hex(reg_offset[r], 4), reg_access[r], reg_reset[r],
           reg_count[r], quoted(text[r]))
  print "};\n"
  print "static const struct " n "_field " n "_fields[" (fields ? fields : 1) "] = {"
  for (f = 1; f <= fields; f++)
    printf("    {0x%su, \"%s\", %du, %du, %s},\n", to_hex(reg_offset[field_reg[f]], 4), field_name[f], field_msb[f],
           field_lsb[f], quoted(field_text[f]))
  if (!fields) print "    {0, 0, 0, 0, 0},"
  print "};\n\n#endif"
}

function comment(s) { gsub(/\*\//, "* /", s); gsub(/\/\*/, "/ *", s); return s }

function write_markdown(    r, f, span, bits) {
  print "| offset | register | bits | field | access | reset | what it is |"
  print "|---|---|---|---|---|---|---|"
  for (r = 1; r <= registers; r++) {
    span = "0x" to_hex(reg_offset[r], 3)
    if (reg_count[r] > 1) span = span "..0x" to_hex(reg_offset[r] + 4 * (reg_count[r] - 1), 3)
    printf("| %s | `%s`%s | | | %s | 0x%s | %s |\n", span, reg_name[r], is_array[r] ? " [" reg_count[r] "]" : "", reg_access[r],
           reg_reset[r], cell(text[r]))
    for (f = 1; f <= fields; f++) {
      if (field_reg[f] != r) continue
      bits = field_msb[f] == field_lsb[f] ? field_lsb[f] : field_msb[f] ":" field_lsb[f]
      printf("| | | %s | `%s` | | | %s |\n", bits, field_name[f], cell(field_text[f]))
    }
  }
}
