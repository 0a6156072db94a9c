#!/usr/bin/python3
"""Recomputes the ICRC of each IPv4 RoCE v2 packet of a pcap file with scapy's contrib/roce.py, which others wrote (make
interop).

    scripts/icrc.py FILE         "N packets, M with a wrong ICRC"; exit code 0: all are right, and the checker finds a
                                 wrong one; else 1

At last the first packet is checked again with its last bit flipped: so it is seen that a wrong one is found."""
import os
import sys

sys.pycache_prefix = sys.pycache_prefix or "build/pycache"
import tool

tool.check("icrc", sys.argv[1:])
try:
    from scapy.contrib.roce import BTH
    from scapy.layers.inet import IP
    from scapy.utils import RawPcapReader
except ImportError:
    sys.exit("icrc: expected scapy (apt-get install python3-scapy), and to be started itself")


def right(packet):
    return IP(packet)[BTH].compute_icrc(None) == packet[-4:]


if not os.access(sys.argv[1], os.R_OK):
    sys.exit(f"icrc: {sys.argv[1]}: expected a pcap file that can be read")
packets, wrong, first = 0, [], None
for number, (frame, _) in enumerate(RawPcapReader(sys.argv[1]), 1):
    if frame[12:14] == b"\x08\x00" and frame[23] == 17 and frame[36:38] == (4791).to_bytes(2, "big"):
        packet = frame[14:14 + int.from_bytes(frame[16:18], "big")]
        first = first or packet
        packets += 1
        if not right(packet):
            wrong.append(number)
print("%d packets, %d with a wrong ICRC" % (packets, len(wrong))
      + (", the first is frame %d" % wrong[0] if wrong else ""))
if first and right(first[:-1] + bytes([first[-1] ^ 1])):
    sys.exit("a wrong ICRC is not found")
sys.exit(not packets or bool(wrong))
