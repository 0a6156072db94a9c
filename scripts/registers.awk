# Register map generator: one description in, one of four texts out.
#
#   awk -f scripts/registers.awk -v format=verilog  rtl/nic/monitor/registers.map > nic_registers.vh
#   awk -f scripts/registers.awk -v format=block    rtl/nic/monitor/registers.map > nic_register_block.vh
#   awk -f scripts/registers.awk -v format=c        rtl/nic/monitor/registers.map > nic_register_map.h
#   awk -f scripts/registers.awk -v format=markdown rtl/nic/monitor/registers.map > registers.md
#
# Options (-v NAME=VALUE):  prefix  first part of every macro (default NIC)
#                           window  bytes that registers may take (default 16384: the request queues start at 0x4000)
#                           place   where offsets count from, for comments (default BAR1)
#
# Input, one directive per line, # starts a comment line:
#
#   reg   OFFSET  NAME         ACCESS  RESET  [ATTRIBUTE=VALUE ...] TEXT      a 32-bit register
#   array OFFSET  NAME  COUNT  ACCESS  RESET  [ATTRIBUTE=VALUE ...] TEXT      COUNT registers, 4 bytes apart
#   field MSB:LSB NAME                        [ATTRIBUTE=VALUE ...] TEXT      bits of the register (or array) above
#
# OFFSET is a byte offset 0x.., a multiple of 4; an array has 2, 4, 8.. registers and starts at a multiple of its size. RESET is 0x.., at
# most 32 bits; names are capitals, digits and _, starting with a capital; ACCESS is one of rw ro rc nc w1c (what they mean stands in the
# map itself). Attributes:
#
#   from=EVENT[,EVENT]  reg rc, reg nc, field of w1c: what is counted, or sets the bit: any of these events, in small letters
#   shown=NAME          reg rc, ro or array ro, field of rw: no storage; what is read is the wire NAME (of an array NAME_low and NAME_high,
#                       for offsets that are multiples of 8, and the others), written by hand beside the block
#   bits=N              reg rc: the counter has N bits, 1..32 (default 32)
#   mask=NAME           reg rw: only bits that are 1 in NAME, a constant of the module, are stored (default: all bits of its fields that
#                       are not shown=, all 32 of a register without fields)
#   reset=NAME          reg rw: the reset value in Verilog, a constant or wire of the module, where it is not the same in every build
#   block=NAME          reg rw, reg ro: another block keeps it and looks for its writes itself; what is read are bits of the vector NAME
#   error=yes           counter (or array ro of counters): stays 0 as long as nothing goes wrong
#   compare=NAME        counter: what an independent count of a test compares it with
#   links=N             reg nc: there with that many links at least; else it reads 0. After all that have no such attribute
#   paths=yes           reg rw, reg ro: there with several links by packet only; else it reads 0 and keeps nothing
#
# Output names, for a register CONTROL with a field HEAD and a one-bit field DIRECT:
#
#   verilog   `NIC_CONTROL 15'h0000   `NIC_CONTROL_RESET 32'h..   `NIC_CONTROL_HEAD_MSB/_LSB   `NIC_CONTROL_DIRECT_MSB/_LSB/_BIT
#             an event x: its bit of the vector of events, `NIC_EVENT_X (rc, w1c) or `NIC_NC_X (nc); `NIC_EVENT_COUNT, `NIC_NC_COUNT bits
#             a field of rw: its bits of the vector of settings, `NIC_SETTING_CONTROL_HEAD m:l; `NIC_SETTING_BITS in all
#             a field of ro that is not shown=: its bits of the vector of views, `NIC_VIEW_.. m:l; `NIC_VIEW_BITS in all
#             a field of a register with block=x: its bits of that vector, `NIC_X_.. m:l; `NIC_X_BITS in all
#   c          NIC_CONTROL 0x0000u     NIC_CONTROL_RESET 0x..u     NIC_CONTROL_HEAD_MASK/_SHIFT; tables nic_registers[], nic_fields[]
#             NIC_EVENT_X, NIC_NC_X, names in nic_events[] and nic_ncs[]; lowest bits NIC_SETTING_.., NIC_VIEW_..
#   both      an array Q also has NIC_Q_COUNT; a register without fields is one field without a name (NIC_VIEW_DMA_STATES)
#
#   block     text for the inside of a module: storage stored_NAME, counters, copies of counters, multiplexers of the read side. What it
#             finds there and what it makes stands at the top of it
#
# Whatever is wrong in the input is refused as FILE:LINE: what stands there, what was expected. All errors of a file are reported, the
# exit code is 1 and nothing is written. POSIX awk only: no strtonum, no bit operations, no gensub.

BEGIN {
  if (prefix == "") prefix = "NIC"
  if (window == "") window = 16384
  origin = place == "" ? "BAR1" : place
  ACCESS = " rw ro rc nc w1c "
  # where an attribute may stand: directive and access
  ALLOWED["from"]    = " reg-rc reg-nc field-w1c "
  ALLOWED["shown"]   = " reg-ro array-ro reg-rc field-rw "
  ALLOWED["bits"]    = " reg-rc "
  ALLOWED["mask"]    = " reg-rw "
  ALLOWED["block"]   = " reg-rw reg-ro "
  ALLOWED["reset"]   = " reg-rw "
  ALLOWED["error"]   = " reg-rc reg-nc array-ro "
  ALLOWED["compare"] = " reg-rc reg-nc "
  ALLOWED["links"]   = " reg-nc "
  ALLOWED["paths"]   = " reg-rw reg-ro "
  errors = 0; registers = 0; fields = 0; events = 0; ncs = 0; words = 0; copies = 0
  vector_count = 0; vector_bits["rw"] = 0; vector_bits["ro"] = 0
  if (format != "verilog" && format != "block" && format != "c" && format != "markdown") {
    complain("registers.awk", "format is '" format "', expected -v format=verilog, block, c or markdown")
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
  if (!errors) settle()
  if (errors) { close("cat 1>&2"); exit 1 }
  if (format == "verilog") write_verilog()
  else if (format == "block") write_block()
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
  reg_count[current] = 1
  is_array[current] = !single
  reg_name[current] = name
  reg_access[current] = access
  reg_reset[current] = "00000000"

  text[current] = attributes("reg:" current, $1 "-" access, text_from)
  if (single && (access == "rc" || access == "nc") && !(("reg:" current, "from") in attribute) && !(("reg:" current, "shown") in attribute))
    refuse("counter " name " counts nothing, expected from=EVENT" (access == "rc" ? " or shown=NAME" : ""))
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
  for (i = 1; i < reg_count[current]; i *= 2) ;
  if (!single && (i != reg_count[current] || i < 2 || offset % (4 * i))) {
    refuse("array of " reg_count[current] " at " $2 ", expected 2, 4, 8.. registers at a multiple of their size")
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
  if (reg_access[current] == "w1c" && msb != lsb) refuse("field " name " of a w1c register has bits " $2 ", expected one bit")
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
  field_text[fields] = attributes("field:" fields, "field-" reg_access[current], 3)
  if (reg_access[current] == "w1c" && !(("field:" fields, "from") in attribute))
    refuse("nothing sets the bit " name ", expected from=EVENT")
  has_fields[current] = 1
  bits[1] = prefix "_" reg_name[current] "_" name
  claim(bits[1] "_MASK"); claim(bits[1] "_SHIFT"); claim(bits[1] "_MSB"); claim(bits[1] "_LSB"); claim(bits[1] "_BIT")
}

# Two different names of the map must not meet in one macro (register A_B with a field C, register A with a field B_C).
function claim(macro) { claim_for(macro, NR) }
function claim_for(macro, line) {
  if (macro in macro_line)
    complain(FILENAME ":" line, "macro " macro " is already made by line " macro_line[macro] ", expected a name that gives a new one")
  else macro_line[macro] = line
}

function name_is_good(name) {
  if (name ~ /^[A-Z][A-Z0-9_]*$/) return 1
  refuse("name '" name "', expected capitals, digits and _, starting with a capital")
  return 0
}

# The attributes of the line, from word n + 1 on, for the register or field `of`; the text behind them.
function attributes(of, where, n,    name, value, list, i, k) {
  while (n < NF && $(n + 1) ~ /^[a-z]+=[^ ]/) {
    name = $(++n); sub(/=.*/, "", name)
    value = $n; sub(/^[^=]*=/, "", value)
    if (!(name in ALLOWED))
      refuse("unknown attribute '" $n "', expected from, shown, bits, mask, reset, block, error, compare, links or paths")
    else if (index(ALLOWED[name], " " where " ") == 0)
      refuse("attribute '" $n "' does not belong to " where ", expected it with" allowed_with(name))
    else if ((of, name) in attribute)
      refuse("attribute '" $n "' is the second of its kind, expected one " name "=")
    else if ((name == "error" || name == "paths") && value != "yes")
      refuse("attribute '" $n "', expected " name "=yes")
    else if (name == "bits" && (value !~ /^[0-9]+$/ || value + 0 < 1 || value + 0 > 32))
      refuse("attribute '" $n "', expected bits=1 to bits=32")
    else if (name == "links" && value !~ /^[24]$/)
      refuse("attribute '" $n "', expected links=2 or links=4")
    else if (index(" shown mask reset block compare ", " " name " ") && value !~ /^[A-Za-z][A-Za-z0-9_]*$/)
      refuse("attribute '" $n "', expected " name "= and one name")
    else if (name == "from" && value !~ /^[a-z][a-z0-9_]*(,[a-z][a-z0-9_]*)*$/)
      refuse("attribute '" $n "', expected from= and events in small letters, digits and _, with commas between them")
    else {
      attribute[of, name] = value
      if (name == "from") {
        k = split(value, list, ",")
        for (i = 1; i <= k; i++) add_event(where == "reg-nc" ? "NC" : "EVENT", list[i])
      }
    }
  }
  if (n >= NF) refuse("no text, expected what it is")
  return rest(n)
}

function allowed_with(name,    s) { s = ALLOWED[name]; sub(/ $/, "", s); gsub(/ /, ", ", s); return substr(s, 2) }

# The place of an event in its vector: in the order of the map. A network event is counted in one place, by one counter.
function add_event(kind, name) {
  if ((kind, name) in event_place) {
    if (kind == "NC") refuse("event " name " is counted already, expected one nc counter for each event")
    return
  }
  event_place[kind, name] = kind == "NC" ? ncs++ : events++
  event_name[kind, event_place[kind, name]] = name
  claim(prefix "_" kind "_" toupper(name))
}

# When all is read: the bits of settings and views, and where the counters are kept.
#
# Counters stand in memories, those at multiples of 8 in one, the others in a second; two counters in one 64-bit word have the same place
# in both. The place is found from offset bits 9 and 6 to 3; the same for the copies of the network counters.
function settle(    r, f, kind, macro, at, other) {
  for (r = 1; r <= registers; r++) {
    kind = reg_access[r]
    if (kind == "rw" || (kind == "ro" && !(("reg:" r, "shown") in attribute) && !is_array[r])) {
      if (block_of(r) != "") kind = block_of(r)
      macro = prefix "_" (kind == "rw" ? "SETTING" : kind == "ro" ? "VIEW" : toupper(kind)) "_" reg_name[r]
      if (!has_fields[r]) slice(kind, "reg:" r, macro, 32, line_of[r])
      for (f = 1; f <= fields; f++)
        if (field_reg[f] == r && !(("field:" f, "shown") in attribute))
          slice(kind, "field:" f, macro "_" field_name[f], field_msb[f] - field_lsb[f] + 1, line_of[r])
    }
    if ((kind == "rc" || kind == "nc") && (("reg:" r, "from") in attribute)) {
      at = int(reg_offset[r] / 512) % 2 * 16 + int(reg_offset[r] / 8) % 16
      if ((kind, at) in word_of) {
        other = word_of[kind, at]
        if (int(reg_offset[other] / 8) != int(reg_offset[r] / 8))
          complain(FILENAME ":" line_of[r], "counter " reg_name[r] " has offset bits 9 and 6 to 3 like " reg_name[other] \
                   " (line " line_of[other] "), expected an offset where they differ")
      } else {
        word_of[kind, at] = r
        word_place[kind, at] = kind == "rc" ? words++ : copies++
        if (!(("reg:" r, "links") in attribute) || attribute["reg:" r, "links"] < 4) few_copies = copies
      }
      reg_place[r] = word_place[kind, at]
      counter_at[kind, reg_place[r], half(r)] = r
    }
  }
}

function half(r) { return int(reg_offset[r] / 4) % 2 ? "high" : "low" }

function slice(kind, of, macro, bits, line) {
  if (!(kind in vector_bits)) { vectors[++vector_count] = kind; claim_for(prefix "_" toupper(kind) "_BITS", line) }
  slice_lsb[of] = vector_bits[kind] + 0
  vector_bits[kind] += bits
  slice_msb[of] = vector_bits[kind] - 1
  slice_macro[of] = macro
  claim_for(macro, line)
  slices++
  slice_of[slices] = of
}

# The vector that shows a register which another block keeps.
function block_of(r) { return (("reg:" r, "block") in attribute) ? attribute["reg:" r, "block"] : "" }
function vector_of(r) { return block_of(r) == "" ? "views" : block_of(r) }
function is_stored(r) { return reg_access[r] == "rw" && block_of(r) == "" }

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
  print "\n// events, one bit each"
  define_events("`")
  print "\n// bits of settings and views"
  define("`", "SETTING_BITS", vector_bits["rw"])
  define("`", "VIEW_BITS", vector_bits["ro"])
  for (r = 1; r <= vector_count; r++) define("`", toupper(vectors[r]) "_BITS", vector_bits[vectors[r]])
  for (r = 1; r <= slices; r++) printf("`define %-44s %s\n", slice_macro[slice_of[r]], slice_msb[slice_of[r]] ":" slice_lsb[slice_of[r]])
  print "\n`endif"
}

# The inside of a module. `low` and `high` are the registers at multiples of 8 and the others.
function write_block(    r, i, k, n, h, at, halves) {
  print "// Made by scripts/registers.awk from the register map; edit the map, not this file."
  print "//"
  print "// The inside of a module with the registers of the map. It finds there:"
  print "//     clk, rst; the vectors events, views and settings; what the map names by shown=, mask= and reset="
  print "//     w_valid, w_addr, w_data, w_be: the 64-bit write of this clock; merge(): a register after it"
  print "//     r_low, r_high: offsets of the two registers that are read in this clock; rd_addr: what they become, in 64-bit words"
  print "//     copy_clk, copy_update, copy_index, copy_value: the copy of an nc counter, numbered in the order of the map"
  print "// and makes: stored_NAME of the registers rw and w1c, settings, and low and high, what r_low and r_high read."

  print "\n// ---- set-up registers"
  for (r = 1; r <= registers; r++)
    if (is_stored(r) || reg_access[r] == "w1c") print "reg  [31:0] stored_" tolower(reg_name[r]) ";"
  print "\nalways @(posedge clk)\n    if (rst) begin"
  for (r = 1; r <= registers; r++)
    if (is_stored(r))
      printf("        stored_%s <= %s;\n", tolower(reg_name[r]),
             (("reg:" r, "reset") in attribute) ? attribute["reg:" r, "reset"] : "`" prefix "_" reg_name[r] "_RESET")
  print "    end else begin"
  for (r = 1; r <= registers; r++)
    if (is_stored(r)) {
      n = "stored_" tolower(reg_name[r])
      printf("        %s <= merge(%s, `%s, w_at, w_data)%s%s;\n", n, n, prefix "_" reg_name[r],
             stored_bits(r) == "ffffffff" ? "" : " & 32'h" stored_bits(r),
             (("reg:" r, "mask") in attribute) ? " & " attribute["reg:" r, "mask"] : "")
    }
  print "    end\n"
  for (i = 1; i <= slices; i++) {
    n = slice_of[i]
    if (slice_macro[n] !~ "^" prefix "_SETTING_") continue
    split(n, at, ":"); k = at[2]
    if (at[1] == "reg") printf("assign settings[`%s] = stored_%s;\n", slice_macro[n], tolower(reg_name[k]))
    else printf("assign settings[`%s] = stored_%s[%s];\n", slice_macro[n], tolower(reg_name[field_reg[k]]),
                field_msb[k] == field_lsb[k] ? field_lsb[k] : field_msb[k] ":" field_lsb[k])
  }

  for (r = 1; r <= registers; r++) {
    if (reg_access[r] != "w1c") continue
    n = tolower(reg_name[r])
    print "\n// ---- " reg_name[r] ": what the hardware sets wins"
    printf("wire [31:0] set_%s =\n    {%s};\n\n", n, pieces(r, "from", ",\n     "))
    print "always @(posedge clk)"
    printf("    if (rst) stored_%s <= `%s_RESET;\n", n, prefix "_" reg_name[r])
    printf("    else     stored_%s <= (stored_%s & ~merge(32'd0, `%s, w_at, w_data)) | set_%s;\n", n, n, prefix "_" reg_name[r], n)
  }

  if (words) {
    print "\n// ---- counters: a bank for each half of a 64-bit word; a write of all four bytes loads one"
    write_place_function("counter_place", "rc", words)
    write_bank("low")
    write_bank("high")
    print "\nwire unused_totals = &{1'b0, low_loaded, high_loaded};"
  }
  if (copies) {
    print "\n// ---- copies of the network counters"
    write_place_function("copy_place", "nc", copies)
    print "\n// {there is one, high, place} of the counter with that number"
    print "function [" width(copies) + 1 ":0] copy_address (input [5:0] index);"
    print "    case (index)"
    for (i = 0; i < ncs; i++)
      for (k = 0; k < copies; k++)
        for (n = 0; n < 2; n++) {
          r = counter_at["nc", k, n ? "high" : "low"]
          if (r && attribute["reg:" r, "from"] == event_name["NC", i])
            printf("        6'd%d: copy_address = {2'b1%d, %d'd%d};   // %s\n", i, n, width(copies), k, reg_name[r])
        }
    print "        default: copy_address = " width(copies) + 2 "'d0;\n    endcase\nendfunction\n"
    n = width(copies)
    # a half is enough where those of four links are not built; all of them are in block RAMs, which are read a clock before
    halves = n > 1 && few_copies <= 2 ^ (n - 1)
    print "localparam COPY_BITS = " (halves ? "(LINKS < 4) ? " n - 1 " : " n : n) ";"
    print "reg  [31:0] low_copies [0:(1<<COPY_BITS)-1];"
    print "reg  [31:0] high_copies [0:(1<<COPY_BITS)-1];"
    print "wire [" n + 1 ":0] copy_at = copy_address(copy_index);"
    printf("wire [%d:0] read_copy = copy_place(%s);\n", n - 1, halves ? "(LINKS < 4) ? r_low : {1'b0, rd_addr, 3'b000}" : "r_low")
    printf("wire unused_places = &{1'b0, copy_at[%d], read_copy[%d]};\n\n", n - 1, n - 1)
    for (h = 0; h < 2; h++)
      printf("always @(posedge copy_clk)\n    if (copy_update && copy_at[%d:%d] == 2'b1%d) %s_copies[copy_at[COPY_BITS-1:0]] <= copy_value;\n\n",
             n + 1, n, h, h ? "high" : "low")
    if (halves) {
      print "wire [31:0] low_copy, high_copy;\ngenerate\n    if (LINKS < 4) begin : few_copies"
      print "        assign low_copy  = low_copies[read_copy[COPY_BITS-1:0]];"
      print "        assign high_copy = high_copies[read_copy[COPY_BITS-1:0]];"
      print "    end else begin : all_copies\n        reg [31:0] low_read, high_read;"
      print "        always @(posedge copy_clk) begin"
      print "            low_read  <= low_copies[read_copy[COPY_BITS-1:0]];\n            high_read <= high_copies[read_copy[COPY_BITS-1:0]];"
      print "        end\n        assign low_copy  = low_read;\n        assign high_copy = high_read;\n    end\nendgenerate"
    } else {
      print "wire [31:0] low_copy  = low_copies[read_copy[COPY_BITS-1:0]];"
      print "wire [31:0] high_copy = high_copies[read_copy[COPY_BITS-1:0]];"
    }
  }

  print "\n// ---- read side"
  print "reg  [31:0] low, high;"
  for (h = 0; h < 2; h++) write_multiplexer(h ? "high" : "low")
}

# The places of counters by their offsets.
function write_place_function(name, kind, count,    k, r) {
  printf("function [%d:0] %s (input [14:0] offset);\n    reg unused;\n    begin\n", width(count) - 1, name)
  print "        unused = &{1'b0, offset};"
  print "        case ({offset[9], offset[6:3]})"
  for (k = 0; k < count; k++) {
    r = counter_at[kind, k, "low"] ? counter_at[kind, k, "low"] : counter_at[kind, k, "high"]
    printf("            {1'b%d, 4'd%d}: %s = %d'd%d;\n", int(reg_offset[r] / 512) % 2, int(reg_offset[r] / 8) % 16, name, width(count), k)
  }
  printf("            default: %s = %d'd0;\n        endcase\n    end\nendfunction\n", name, width(count))
}

function write_bank(h,    k, r, built, list) {
  printf("\nfunction is_%s_counter (input [14:0] offset);\n    case (offset)\n", h)
  built = 0; list = ""
  for (k = 0; k < words; k++)
    if ((r = counter_at["rc", k, h])) {
      built += 2 ^ k
      list = list (list == "" ? "" : ",\n        ") "`" prefix "_" reg_name[r]
    }
  if (list != "") print "        " list ": is_" h "_counter = 1'b1;"
  printf("        default: is_%s_counter = 1'b0;\n    endcase\nendfunction\n\n", h)
  printf("wire [%d:0] %s_events;\n", words - 1, h)
  for (k = 0; k < words; k++) {
    r = counter_at["rc", k, h]
    if (r) printf("assign %s_events[%d] = %s;\n", h, k, any_of(attribute["reg:" r, "from"]))
    else printf("assign %s_events[%d] = 1'b0;\n", h, k)
  }
  printf("\nwire        %s_load = w_valid && &w_be[%s] && is_%s_counter(w_%s);\n", h, h == "low" ? "3:0" : "7:4", h, h)
  printf("wire [31:0] %s_count, %s_loaded;\n\n", h, h)
  printf("counter_bank #(.PLACES(%d), .BUILT(%d'h%s), .PENDING_BITS(7)) %s_counters (\n", words, words, to_hex(built, 1), h)
  printf("    .clk (clk), .rst (rst), .clear (1'b0), .event_vector (%s_events), .twice_vector (%d'd0),\n", h, words)
  printf("    .visit (%s_load), .visit_place (counter_place(w_%s)), .load (%s_load),\n", h, h, h)
  printf("    .load_value (w_data[%s]), .total (%s_loaded),\n", h == "low" ? "31:0" : "63:32", h)
  printf("    .read_place (counter_place(r_%s)), .read_total (%s_count)\n);\n", h, h)
}

function write_multiplexer(h,    r, n, shift, else_word) {
  printf("\nalways @* begin\n    %s = 32'd0;\n    case (r_%s)\n", h, h)
  for (r = 1; r <= registers; r++)
    if (!is_array[r] && half(r) == h) printf("        `%s: %s = %s;\n", prefix "_" reg_name[r], h, what_is_read(r, h))
  else_word = "        default:\n            "
  for (r = 1; r <= registers; r++) {
    if (!is_array[r]) continue
    for (shift = 2; 2 ^ shift < 4 * reg_count[r]; shift++) ;
    printf("%sif (r_%s[14:%d] == %d'd%d) %s = %s_%s;\n", else_word, h, shift, 15 - shift, reg_offset[r] / 2 ^ shift, h,
           attribute["reg:" r, "shown"], h)
    else_word = "            else "
  }
  if (else_word ~ /default/) print "        default: ;"
  print "    endcase\nend"
}

function what_is_read(r, h,    shown) {
  if (("reg:" r, "shown") in attribute) return attribute["reg:" r, "shown"]
  if (reg_access[r] == "w1c") return "stored_" tolower(reg_name[r])
  if (reg_access[r] == "nc" && ("reg:" r, "links") in attribute)
    return "(LINKS >= " attribute["reg:" r, "links"] ") ? " h "_copy : 32'd0"
  if (reg_access[r] == "nc") return h "_copy"
  if (reg_access[r] == "rc") return h "_count" (("reg:" r, "bits") in attribute ? " & 32'h" mask(attribute["reg:" r, "bits"] - 1, 0) : "")
  if (!is_stored(r) && !has_fields[r]) return vector_of(r) "[`" slice_macro["reg:" r] "]"
  if (!is_stored(r)) return "{" pieces(r, "view", ",\n            ") "}"
  shown = pieces(r, "shown", ", ")
  return "stored_" tolower(reg_name[r]) (shown ~ /^32'd0$/ ? "" : " | {" shown "}")
}

# The fields of a register from bit 31 down to 0 as pieces of a concatenation, zeros for what is none of `kind`.
function pieces(r, kind, between,    i, f, zeros, out, expression) {
  zeros = 0; out = ""
  for (i = 31; i >= 0; i--) {
    f = (r, i) in bit_owner ? bit_owner[r, i] : 0
    expression = ""
    if (f && kind == "from") expression = any_of(attribute["field:" f, "from"])
    else if (f && kind == "view") expression = vector_of(r) "[`" slice_macro["field:" f] "]"
    else if (f) expression = attribute["field:" f, "shown"]
    if (expression == "") { zeros++; continue }
    if (zeros) out = out (out == "" ? "" : between) zeros "'d0"
    zeros = 0
    out = out (out == "" ? "" : between) expression
    i = field_lsb[f]
  }
  if (zeros) out = out (out == "" ? "" : between) zeros "'d0"
  return out
}

function any_of(list,    k, n, name, out) {
  n = split(list, name, ",")
  for (k = 1; k <= n; k++) out = out (k > 1 ? " || " : "") "events[`" prefix "_EVENT_" toupper(name[k]) "]"
  return out
}

# The bits that a write leaves in a rw register, in hexadecimal.
function stored_bits(r,    f, sum) {
  sum = 0
  for (f = 1; f <= fields; f++)
    if (field_reg[f] == r && !(("field:" f, "shown") in attribute)) sum += 2 ^ (field_msb[f] + 1) - 2 ^ field_lsb[f]
  return has_fields[r] ? to_hex(sum, 8) : "ffffffff"
}

function width(count,    bits) { for (bits = 1; 2 ^ bits < count; bits++) ; return bits }

function define_events(mark,    i) {
  define(mark, "EVENT_COUNT", events)
  for (i = 0; i < events; i++) define(mark, "EVENT_" toupper(event_name["EVENT", i]), i)
  define(mark, "NC_COUNT", ncs)
  for (i = 0; i < ncs; i++) define(mark, "NC_" toupper(event_name["NC", i]), i)
}

function write_c(    r, f, n) {
  n = tolower(prefix)
  print "/* Made by scripts/registers.awk from the register map; edit the map, not this file.\n *"
  print " * Byte offsets in " origin ", reset values, masks and shifts of fields; and two tables for tools and tests: " n "_registers[]"
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
  print "\n/* Events: their bits in the vectors of the Verilog, and their names by bit. */"
  define_events("#")
  print "\n/* How many bits, and the lowest bits of settings and views in the vectors of the Verilog. */"
  define("#", "SETTING_BITS", vector_bits["rw"])
  define("#", "VIEW_BITS", vector_bits["ro"])
  for (r = 1; r <= vector_count; r++) define("#", toupper(vectors[r]) "_BITS", vector_bits[vectors[r]])
  for (r = 1; r <= slices; r++) printf("#define %-44s %s\n", slice_macro[slice_of[r]], slice_lsb[slice_of[r]])
  write_names(n "_events", "EVENT", events)
  write_names(n "_ncs", "NC", ncs)
  print "\n/* One register, or an array of `count` registers 4 bytes apart; access: rw, ro, rc, nc or w1c. error: 1 for a counter that stays"
  print " * 0 as long as nothing goes wrong. compare: what a test compares a counter with, \"\" for none. */"
  print "struct " n "_register {\n  const char *name;\n  unsigned offset; /* [bytes] from the start of " origin " */"
  print "  const char *access;\n  uint32_t reset;\n  unsigned count;\n  unsigned links; /* of a device that has it, at least */\n  int paths; /* only one with several links by packet has it */\n  int error;\n  const char *compare;\n  const char *text;\n};"
  print "\n/* Bits msb..lsb of the register (or of each register of the array) at `offset`. */"
  print "struct " n "_field {\n  unsigned offset; /* [bytes] */\n  const char *name;\n  unsigned msb, lsb;\n  const char *text;\n};\n"
  print "static const struct " n "_register " n "_registers[" registers "] = {"
  for (r = 1; r <= registers; r++)
    printf("    {\"%s\", 0x%su, \"%s\", 0x%su, %du, %du, %d, %d, \"%s\", %s},\n", reg_name[r], to_hex(reg_offset[r], 4), reg_access[r],
           reg_reset[r], reg_count[r], ("reg:" r, "links") in attribute ? attribute["reg:" r, "links"] : 1,
           (("reg:" r, "paths") in attribute), (("reg:" r, "error") in attribute), attribute["reg:" r, "compare"], quoted(text[r]))
  print "};\n"
  print "static const struct " n "_field " n "_fields[" (fields ? fields : 1) "] = {"
  for (f = 1; f <= fields; f++)
    printf("    {0x%su, \"%s\", %du, %du, %s},\n", to_hex(reg_offset[field_reg[f]], 4), field_name[f], field_msb[f],
           field_lsb[f], quoted(field_text[f]))
  if (!fields) print "    {0, 0, 0, 0, 0},"
  print "};\n\n#endif"
}

function write_names(name, kind, count,    i) {
  printf("static const char *const %s[%d] = {\n", name, count ? count : 1)
  for (i = 0; i < count; i++) printf("    \"%s\",\n", event_name[kind, i])
  if (!count) print "    0,"
  print "};"
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
