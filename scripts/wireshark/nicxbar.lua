-- nicxbar.lua: dissects the frames of a nicxbar link, for Wireshark and tshark (4.0 or newer).
--
--   make sim CAPTURE=frames.pcapng SCENARIO=uniform
--   wireshark -X lua_script:scripts/wireshark/nicxbar.lua frames.pcapng
--   tshark    -X lua_script:scripts/wireshark/nicxbar.lua -r frames.pcapng -Y 'nicxbar.conversation == "0>3"'
--
-- The formats are those of rtl/design.md 3, also of several links by packet: ten bits of sequence, which count over all
-- links, so that a jump on one of them is no gap. The interface says so. A frame is SOP, perhaps a credit word, and a
-- packet, a check record or nothing. What it cannot be sure of it does not show: behind a wrong header CRC the words
-- are "untrusted".

local nicxbar = Proto("nicxbar", "nicxbar link")

local operations = {[0] = "enqueue", [1] = "add", [2] = "arm", [4] = "write", [5] = "fetch-add", [6] = "swap",
                    [7] = "compare-swap", [8] = "reopen", [14] = "refused", [15] = "reply"}
local kinds = {[1] = "data", [2] = "credits", [3] = "check record", [4] = "incomplete"}
local f = {
    kind = ProtoField.uint8("nicxbar.kind", "Kind", base.DEC, kinds),
    conversation = ProtoField.string("nicxbar.conversation", "Conversation"),
    source = ProtoField.uint8("nicxbar.source", "Source node"),
    destination = ProtoField.uint8("nicxbar.destination", "Destination node"),
    sop = ProtoField.uint32("nicxbar.sop", "Start of packet", base.HEX),
    credit = ProtoField.uint16("nicxbar.credit", "Credit", base.HEX),
    credit_flow = ProtoField.uint8("nicxbar.credit.flow", "Flow"),
    credit_count = ProtoField.uint16("nicxbar.credit.count", "Count [units, multiple of 32]"),
    credit_parity = ProtoField.bool("nicxbar.credit.parity_good", "Parity good"),
    header = ProtoField.uint64("nicxbar.header", "Header", base.HEX),
    flow = ProtoField.uint8("nicxbar.flow", "Flow"),
    remote = ProtoField.bool("nicxbar.notify.remote", "Remote notification"),
    loc = ProtoField.bool("nicxbar.notify.local", "Local notification"),
    interrupt = ProtoField.bool("nicxbar.notify.interrupt", "Remote interrupt"),
    stamps = ProtoField.bool("nicxbar.stamps", "Time stamps in the payload"),
    sequence = ProtoField.uint16("nicxbar.sequence", "Sequence"),
    length = ProtoField.uint16("nicxbar.length", "Payload [64-bit words]"),
    address = ProtoField.uint32("nicxbar.address", "Destination address", base.HEX),
    operation = ProtoField.uint8("nicxbar.operation", "Operation", base.DEC, operations),
    object = ProtoField.uint16("nicxbar.operation.object", "Object"),
    operand = ProtoField.uint16("nicxbar.operation.operand", "Operand"),
    transmitted = ProtoField.uint16("nicxbar.transmitted", "Units transmitted (T)", base.HEX),
    header_crc = ProtoField.uint32("nicxbar.header_crc", "Header CRC", base.HEX),
    header_crc_good = ProtoField.bool("nicxbar.header_crc.good", "Header CRC good"),
    payload = ProtoField.bytes("nicxbar.payload", "Payload"),
    untrusted = ProtoField.bytes("nicxbar.untrusted", "Untrusted words"),
    body_crc = ProtoField.uint32("nicxbar.body_crc", "Body CRC", base.HEX),
    body_crc_good = ProtoField.bool("nicxbar.body_crc.good", "Body CRC good"),
    surplus = ProtoField.bytes("nicxbar.surplus", "Surplus words")
}
local e = {
    parity = ProtoExpert.new("nicxbar.credit.bad", "Credit without its mark or with wrong parity",
                             expert.group.CHECKSUM, expert.severity.ERROR),
    header_crc = ProtoExpert.new("nicxbar.header_crc.bad", "Wrong header CRC", expert.group.CHECKSUM,
                                 expert.severity.ERROR),
    body_crc = ProtoExpert.new("nicxbar.body_crc.bad", "Wrong body CRC", expert.group.CHECKSUM, expert.severity.ERROR),
    fixed = ProtoExpert.new("nicxbar.header.fixed_bits", "Fixed bits of the header are wrong",
                            expert.group.PROTOCOL, expert.severity.ERROR),
    cut = ProtoExpert.new("nicxbar.cut_short", "Frame cut short", expert.group.MALFORMED, expert.severity.ERROR),
    surplus = ProtoExpert.new("nicxbar.surplus.there", "Words behind the end of the frame",
                              expert.group.MALFORMED, expert.severity.ERROR),
    gap = ProtoExpert.new("nicxbar.sequence.gap", "Gap in the sequence of this conversation",
                          expert.group.SEQUENCE, expert.severity.WARN)
}
nicxbar.fields, nicxbar.experts = {}, {}
for _, field in pairs(f) do table.insert(nicxbar.fields, field) end
for _, what in pairs(e) do table.insert(nicxbar.experts, what) end

local interface_name, interface_about = Field.new("frame.interface_name"), Field.new("frame.interface_description")

-- CRCs of rtl/design.md 3, byte by byte, most significant bit first, not inverted.
local band, bxor, lshift, rshift = bit.band, bit.bxor, bit.lshift, bit.rshift
local table16, table32 = {}, {}
for byte = 0, 255 do
    local crc16, crc32 = lshift(byte, 8), lshift(byte, 24)
    for _ = 1, 8 do
        crc16 = band(bxor(lshift(crc16, 1), band(crc16, 0x8000) ~= 0 and 0x1021 or 0), 0xffff)
        crc32 = bxor(lshift(crc32, 1), crc32 < 0 and 0x04c11db7 or 0)
    end
    table16[byte], table32[byte] = crc16, crc32
end
local function crc16(range)
    local crc, bytes = 0xffff, range:bytes()
    for i = 0, bytes:len() - 1 do
        crc = band(bxor(lshift(crc, 8), table16[band(bxor(rshift(crc, 8), bytes:get_index(i)), 255)]), 0xffff)
    end
    return crc
end
local function crc32(range)
    local crc, bytes = bit.tobit(0xffffffff), range:bytes()
    for i = 0, bytes:len() - 1 do
        crc = bxor(lshift(crc, 8), table32[band(bxor(rshift(crc, 24), bytes:get_index(i)), 255)])
    end
    return crc
end

local function is_good(tree, field, range, good, expert_field)
    tree:add(field, range, good):set_generated()
    if not good then tree:add_proto_expert_info(expert_field) end
end

local function credit(tree, range)
    local value = range:uint()
    local flow, count, ones = band(rshift(value, 7), 127), 32 * band(value, 127), 0
    for i = 0, 13 do ones = ones + band(rshift(value, i), 1) end
    local good = band(value, 0x8000) ~= 0 and band(rshift(value, 14), 1) == ones % 2
    local item = tree:add(f.credit, range)
    item:append_text(string.format(", flow %d, count %d", flow, count))
    item:add(f.credit_flow, range, flow)
    item:add(f.credit_count, range, count)
    is_good(item, f.credit_parity, range, good, e.parity)
    return string.format("%d:%d%s", flow, count, good and "" or " BAD")
end

-- What sequence numbers were last, by direction and flow; and which frames stand behind a gap. Filled in the first pass
-- over the file.
local last, gaps = {}, {}
function nicxbar.init()
    last, gaps = {}, {}
end
local function follow_sequence(pinfo, direction, flow, sequence)
    if pinfo.visited then return end
    local key = direction .. " " .. flow
    local before = last[key]
    if before and sequence ~= (before + 1) % 512 and not (before == 0 and sequence == 0) then
        gaps[pinfo.number] = (before + 1) % 512
    end
    last[key] = sequence
end

-- From an interface called node0>switch, switch2>node3, node0>node1 or node1.link1>node0, and the flow: source and
-- destination.
local function ends_of(direction, flow)
    local from, to = direction:match("^node(%d+)"), direction:match(">node(%d+)")
    if from and to then return tonumber(from), tonumber(to) end
    return from and tonumber(from) or flow, to and tonumber(to) or flow
end

local function header(buffer, pinfo, tree, at, direction, by_packet)
    local high, low = buffer(at, 4):uint(), buffer(at + 4, 4):uint()
    local flow, length = band(rshift(high, 24), 127), band(high, 1023)
    local sequence = band(rshift(high, 10), by_packet and 1023 or 511)
    local item = tree:add(f.header, buffer(at, 8))
    local text
    item:add(f.flow, buffer(at, 1), flow)
    local stamps = band(high, 0x00800000) ~= 0
    if band(high, 0x80000000) ~= 0 or (stamps and length < 3)
        or (length ~= 0 and not by_packet and band(high, 0x00080000) == 0) then
        item:add_proto_expert_info(e.fixed)
    end
    if length == 0 then
        item:add(f.transmitted, buffer(at + 6, 2), band(low, 0xfff))
        text = string.format("check record, flow %d, T %03x", flow, band(low, 0xfff))
    else
        local source, destination = ends_of(direction, flow)
        local conversation = source .. ">" .. destination
        item:add(f.remote, buffer(at + 1, 1), band(high, 0x00400000) ~= 0)
        item:add(f.loc, buffer(at + 1, 1), band(high, 0x00200000) ~= 0)
        item:add(f.interrupt, buffer(at + 1, 1), band(high, 0x00100000) ~= 0)
        item:add(f.stamps, buffer(at + 1, 1), stamps)
        item:add(f.sequence, buffer(at + 1, 2), sequence)
        item:add(f.length, buffer(at + 2, 2), length)
        local to = string.format("to %08x", low)
        if low % 2 == 1 then -- an operation (rtl/sync) has no address
            local kind, object = band(rshift(low, 16), 15), band(rshift(low, 20), 4095)
            item:add(f.operation, buffer(at + 5, 1), kind)
            item:add(f.object, buffer(at + 4, 2), object)
            item:add(f.operand, buffer(at + 6, 2), band(rshift(low, 1), 32767))
            to = string.format("%s %d", operations[kind] or "unknown operation", object)
        else
            item:add(f.address, buffer(at + 4, 4))
        end
        tree:add(f.source, source):set_generated()
        tree:add(f.destination, destination):set_generated()
        tree:add(f.conversation, conversation):set_generated()
        pinfo.cols.src, pinfo.cols.dst = "node " .. source, "node " .. destination
        text = string.format("%s, sequence %d, %d bytes %s", conversation, sequence, 8 * length, to)
        if band(high, 0x00400000) ~= 0 then text = text .. ", notify" end
        if band(high, 0x00100000) ~= 0 then text = text .. ", interrupt" end
    end
    return item, text, flow, length, sequence
end

function nicxbar.dissector(buffer, pinfo, root)
    local size, at, info = buffer:len(), 4, {}
    local tree = root:add(nicxbar, buffer())
    local name = interface_name()
    local direction = name and name.value or ""
    local about = interface_about()
    local by_packet = about and about.value:find("by packet", 1, true) ~= nil
    local function finish(kind)
        tree:add(f.kind, kind):set_generated()
        tree:append_text(", " .. kinds[kind])
        pinfo.cols.protocol, pinfo.cols.info = "nicxbar", table.concat(info, "; ")
    end
    local function cut()
        tree:add_proto_expert_info(e.cut)
        table.insert(info, "CUT SHORT")
        finish(4)
    end
    local function surplus()
        if at >= size then return end
        tree:add(f.surplus, buffer(at))
        tree:add_proto_expert_info(e.surplus)
        table.insert(info, string.format("%d SURPLUS BYTES", size - at))
    end
    if direction ~= "" then pinfo.cols.src, pinfo.cols.dst = direction:match("^(.*)>"), direction:match(">(.*)$") end
    tree:add(f.sop, buffer(0, 4))
    if size == 4 then return cut() end
    if band(buffer(4, 1):uint(), 0x80) ~= 0 then
        table.insert(info, "credit " .. credit(tree, buffer(4, 2)) .. " " .. credit(tree, buffer(6, 2)))
        at = 8
        if size == 8 then return finish(2) end
    end
    if size < at + 12 then return cut() end

    local item, text, flow, length, sequence = header(buffer, pinfo, tree, at, direction, by_packet)
    local good = buffer(at + 8, 4):uint() == crc16(buffer(at, 8))
    item:add(f.header_crc, buffer(at + 8, 4))
    is_good(item, f.header_crc_good, buffer(at + 8, 4), good, e.header_crc)
    at = at + 12
    if not good then
        table.insert(info, "BAD HEADER CRC")
        if at < size then tree:add(f.untrusted, buffer(at)) end
        return finish(4)
    end
    table.insert(info, 1, text)
    if length == 0 then
        surplus()
        return finish(3)
    end
    if not by_packet then follow_sequence(pinfo, direction, flow, sequence) end
    if gaps[pinfo.number] then
        item:add_proto_expert_info(e.gap, string.format("Sequence %d, expected %d", sequence, gaps[pinfo.number]))
        table.insert(info, string.format("GAP, expected %d", gaps[pinfo.number]))
    end
    if size < at + 8 * length + 4 then return cut() end
    local body = buffer(at, 8 * length)
    tree:add(f.payload, body)
    at = at + 8 * length
    good = buffer(at, 4):int() == crc32(body)
    tree:add(f.body_crc, buffer(at, 4))
    is_good(tree, f.body_crc_good, buffer(at, 4), good, e.body_crc)
    if not good then table.insert(info, "BAD BODY CRC") end
    at = at + 4
    surplus()
    finish(1)
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, nicxbar)
