/* Clock tables of pcix.md, section 12, as printed there: the reference that core_player.c holds the core against. */
#include "core_sheet.h"

const char sheet_a_decode_c[] =
    "clock    0     1     2     3     4     5      6      7      8      9      10     11     12     13    14    15\n"
    "phase    addr  attr  resp  resp  resp  data0  data1  data2  data3  data4  data5  data6  data7  turn  idle  idle\n"
    "FRAME#   0     0     0     0     0     0      0      0      0      0      0      1      z      z     z     z\n"
    "REQ64#   0     0     0     0     0     0      0      0      0      0      0      1      z      z     z     z\n"
    "IRDY#    z     1     1     0     0     0      0      0      0      0      0      0      0      1     z     z\n"
    "AD       ADDR  ATTR  D0    D0    D0    D0     D1     D2     D3     D4     D5     D6     D7     z     z     z\n"
    "C/BE#    F     BC    FF    FF    FF    FF     FF     FF     FF     FF     FF     FF     FF     z     z     z\n"
    "DEVSEL#  z     z     z     z     0     0      0      0      0      0      0      0      0      1     z     z\n"
    "ACK64#   z     z     z     z     0     0      0      0      0      0      0      0      0      1     z     z\n"
    "TRDY#    z     z     z     z     1     0      0      0      0      0      0      0      0      1     z     z\n"
    "STOP#    z     z     z     z     1     1      1      1      1      1      1      1      1      1     z     z\n"
    "PAR      z     p0    p1    p2    p3    p4     p5     p6     p7     p8     p9     p10    p11    p12   z     z\n";

const char sheet_a_decode_a[] =
    "clock    0     1     2     3      4      5      6      7      8      9      10     11    12    13\n"
    "phase    addr  attr  resp  data0  data1  data2  data3  data4  data5  data6  data7  turn  idle  idle\n"
    "FRAME#   0     0     0     0      0      0      0      0      0      1      z      z     z     z\n"
    "REQ64#   0     0     0     0      0      0      0      0      0      1      z      z     z     z\n"
    "IRDY#    z     1     1     0      0      0      0      0      0      0      0      1     z     z\n"
    "AD       ADDR  ATTR  D0    D0     D1     D2     D3     D4     D5     D6     D7     z     z     z\n"
    "C/BE#    F     BC    FF    FF     FF     FF     FF     FF     FF     FF     FF     z     z     z\n"
    "DEVSEL#  z     z     0     0      0      0      0      0      0      0      0      1     z     z\n"
    "ACK64#   z     z     0     0      0      0      0      0      0      0      0      1     z     z\n"
    "TRDY#    z     z     1     0      0      0      0      0      0      0      0      1     z     z\n"
    "STOP#    z     z     1     1      1      1      1      1      1      1      1      1     z     z\n"
    "PAR      z     p0    p1    p2     p3     p4     p5     p6     p7     p8     p9     p10   z     z\n";

const char sheet_a_wait_pair[] =
    "clock    0     1     2     3     4     5      6      7      8      9      10     11     12     13    14    15\n"
    "phase    addr  attr  resp  wait  wait  data0  data1  data2  data3  data4  data5  data6  data7  turn  idle  idle\n"
    "FRAME#   0     0     0     0     0     0      0      0      0      0      0      1      z      z     z     z\n"
    "REQ64#   0     0     0     0     0     0      0      0      0      0      0      1      z      z     z     z\n"
    "IRDY#    z     1     1     0     0     0      0      0      0      0      0      0      0      1     z     z\n"
    "AD       ADDR  ATTR  D0    D0    D1    D0     D1     D2     D3     D4     D5     D6     D7     z     z     z\n"
    "C/BE#    F     BC    FF    FF    FF    FF     FF     FF     FF     FF     FF     FF     FF     z     z     z\n"
    "DEVSEL#  z     z     0     0     0     0      0      0      0      0      0      0      0      1     z     z\n"
    "ACK64#   z     z     0     0     0     0      0      0      0      0      0      0      0      1     z     z\n"
    "TRDY#    z     z     1     1     1     0      0      0      0      0      0      0      0      1     z     z\n"
    "STOP#    z     z     1     1     1     1      1      1      1      1      1      1      1      1     z     z\n"
    "PAR      z     p0    p1    p2    p3    p4     p5     p6     p7     p8     p9     p10    p11    p12   z     z\n";

const char sheet_a_dual[] =
    "clock    0        1         2     3     4     5     6      7      8      9      10     11     12     13     14    15    16\n"
    "phase    addr1    addr2     attr  resp  resp  resp  data0  data1  data2  data3  data4  data5  data6  data7  turn  idle  idle\n"
    "FRAME#   0        0         0     0     0     0     0      0      0      0      0      0      1      z      z     z     z\n"
    "REQ64#   0        0         0     0     0     0     0      0      0      0      0      0      1      z      z     z     z\n"
    "IRDY#    z        1         1     1     0     0     0      0      0      0      0      0      0      0      1     z     z\n"
    "AD       A[31:0]  A[63:32]  ATTR  D0    D0    D0    D0     D1     D2     D3     D4     D5     D6     D7     z     z     z\n"
    "C/BE#    D        F         BC    FF    FF    FF    FF     FF     FF     FF     FF     FF     FF     FF     z     z     z\n"
    "DEVSEL#  z        z         z     z     z     0     0      0      0      0      0      0      0      0      1     z     z\n"
    "ACK64#   z        z         z     z     z     0     0      0      0      0      0      0      0      0      1     z     z\n"
    "TRDY#    z        z         z     z     z     1     0      0      0      0      0      0      0      0      1     z     z\n"
    "STOP#    z        z         z     z     z     1     1      1      1      1      1      1      1      1      1     z     z\n"
    "PAR      z        p0        p1    p2    p3    p4    p5     p6     p7     p8     p9     p10    p11    p12    p13   z     z\n";

const char sheet_b_decode_a[] =
    "clock    0     1     2     3      4     5     6     7\n"
    "phase    addr  attr  resp  split  term  turn  idle  idle\n"
    "FRAME#   0     0     0     0      0     1     z     z\n"
    "REQ64#   0     0     0     0      0     1     z     z\n"
    "IRDY#    z     1     1     0      0     1     z     z\n"
    "AD       ADDR  ATTR  z     ones   z     z     z     z\n"
    "C/BE#    E     BC    FF    FF     FF    z     z     z\n"
    "DEVSEL#  z     z     0     1      1     z     z     z\n"
    "ACK64#   z     z     0     1      1     z     z     z\n"
    "TRDY#    z     z     1     0      1     z     z     z\n"
    "STOP#    z     z     1     1      1     z     z     z\n"
    "PAR      z     p0    p1    z      p3    z     z     z\n";

const char sheet_b_decode_c[] =
    "clock    0     1     2     3     4     5      6     7     8     9\n"
    "phase    addr  attr  resp  resp  resp  split  term  turn  idle  idle\n"
    "FRAME#   0     0     0     0     0     0      0     1     z     z\n"
    "REQ64#   0     0     0     0     0     0      0     1     z     z\n"
    "IRDY#    z     1     1     0     0     0      0     1     z     z\n"
    "AD       ADDR  ATTR  z     z     z     ones   z     z     z     z\n"
    "C/BE#    E     BC    FF    FF    FF    FF     FF    z     z     z\n"
    "DEVSEL#  z     z     z     z     0     1      1     z     z     z\n"
    "ACK64#   z     z     z     z     0     1      1     z     z     z\n"
    "TRDY#    z     z     z     z     1     0      1     z     z     z\n"
    "STOP#    z     z     z     z     1     1      1     z     z     z\n"
    "PAR      z     p0    p1    z     z     z      p5    z     z     z\n";

const char sheet_c_four[] =
    "clock    0      1      2     3     4     5      6      7      8      9     10    11\n"
    "phase    addr   attr   resp  resp  resp  data0  data1  data2  data3  turn  idle  idle\n"
    "FRAME#   0      0      0     0     0     0      0      1      z      z     z     z\n"
    "REQ64#   0      0      0     0     0     0      0      1      z      z     z     z\n"
    "IRDY#    z      1      1     0     0     0      0      0      0      1     z     z\n"
    "AD       SCADR  CATTR  D0    D0    D0    D0     D1     D2     D3     z     z     z\n"
    "C/BE#    C      BC     FF    FF    FF    FF     FF     FF     FF     z     z     z\n"
    "DEVSEL#  z      z      z     z     0     0      0      0      0      1     z     z\n"
    "ACK64#   z      z      z     z     0     0      0      0      0      1     z     z\n"
    "TRDY#    z      z      z     z     1     0      0      0      0      1     z     z\n"
    "STOP#    z      z      z     z     1     1      1      1      1      1     z     z\n"
    "PAR      z      p0     p1    p2    p3    p4     p5     p6     p7     p8    z     z\n";

const char sheet_c_three[] =
    "clock    0      1      2     3     4     5      6      7      8     9     10\n"
    "phase    addr   attr   resp  resp  resp  data0  data1  data2  turn  idle  idle\n"
    "FRAME#   0      0      0     0     0     0      0      1      z     z     z\n"
    "REQ64#   0      0      0     0     0     0      0      1      z     z     z\n"
    "IRDY#    z      1      1     0     0     0      0      0      1     z     z\n"
    "AD       SCADR  CATTR  D0    D0    D0    D0     D1     D2     z     z     z\n"
    "C/BE#    C      BC     FF    FF    FF    FF     FF     FF     z     z     z\n"
    "DEVSEL#  z      z      z     z     0     0      0      0      1     z     z\n"
    "ACK64#   z      z      z     z     0     0      0      0      1     z     z\n"
    "TRDY#    z      z      z     z     1     0      0      0      1     z     z\n"
    "STOP#    z      z      z     z     1     1      1      1      1     z     z\n"
    "PAR      z      p0     p1    p2    p3    p4     p5     p6     p7    z     z\n";

const char sheet_d[] =
    "clock    0     1     2     3     4     5      6     7     8     9\n"
    "phase    addr  attr  resp  resp  resp  data0  term  turn  idle  idle\n"
    "FRAME#   0     0     0     0     0     0      0     1     z     z\n"
    "REQ64#   z     z     z     z     z     z      z     z     z     z\n"
    "IRDY#    z     1     1     0     0     0      0     1     z     z\n"
    "AD       ADDR  ATTR  z     z     z     D0     z     z     z     z\n"
    "C/BE#    6     BE#   FF    FF    FF    FF     FF    z     z     z\n"
    "DEVSEL#  z     z     z     z     0     0      1     z     z     z\n"
    "ACK64#   z     z     z     z     z     z      z     z     z     z\n"
    "TRDY#    z     z     z     z     1     0      1     z     z     z\n"
    "STOP#    z     z     z     z     1     1      1     z     z     z\n"
    "PAR      z     p0    p1    z     z     z      p5    z     z     z\n";

const char sheet_e_write[] =
    "clock    -4     -3     -2     -1     0      1     2     3     4     5      6     7     8     9\n"
    "phase    step   step   step   step   addr   attr  resp  resp  resp  data0  term  turn  idle  idle\n"
    "FRAME#   z      z      z      z      0      0     0     0     0     0      0     1     z     z\n"
    "REQ64#   z      z      z      z      z      z     z     z     z     z      z     z     z     z\n"
    "IRDY#    z      z      z      z      z      1     1     0     0     0      0     1     z     z\n"
    "AD       CFGAD  CFGAD  CFGAD  CFGAD  CFGAD  ATTR  D0    D0    D0    D0     D0    z     z     z\n"
    "C/BE#    B      B      B      B      B      BE#   FF    FF    FF    FF     FF    z     z     z\n"
    "DEVSEL#  z      z      z      z      z      z     z     z     0     0      1     z     z     z\n"
    "ACK64#   z      z      z      z      z      z     z     z     z     z      z     z     z     z\n"
    "TRDY#    z      z      z      z      z      z     z     z     1     0      1     z     z     z\n"
    "STOP#    z      z      z      z      z      z     z     z     1     1      1     z     z     z\n"
    "PAR      z      p-4    p-3    p-2    p-1    p0    p1    p2    p3    p4     p5    p6    z     z\n";

const char sheet_e_read[] =
    "clock    -4     -3     -2     -1     0      1     2     3     4     5      6     7     8     9\n"
    "phase    step   step   step   step   addr   attr  resp  resp  resp  data0  term  turn  idle  idle\n"
    "FRAME#   z      z      z      z      0      0     0     0     0     0      0     1     z     z\n"
    "REQ64#   z      z      z      z      z      z     z     z     z     z      z     z     z     z\n"
    "IRDY#    z      z      z      z      z      1     1     0     0     0      0     1     z     z\n"
    "AD       CFGAD  CFGAD  CFGAD  CFGAD  CFGAD  ATTR  z     z     z     D0     z     z     z     z\n"
    "C/BE#    A      A      A      A      A      BE#   FF    FF    FF    FF     FF    z     z     z\n"
    "DEVSEL#  z      z      z      z      z      z     z     z     0     0      1     z     z     z\n"
    "ACK64#   z      z      z      z      z      z     z     z     z     z      z     z     z     z\n"
    "TRDY#    z      z      z      z      z      z     z     z     1     0      1     z     z     z\n"
    "STOP#    z      z      z      z      z      z     z     z     1     1      1     z     z     z\n"
    "PAR      z      p-4    p-3    p-2    p-1    p0    p1    z     z     z      p5    z     z     z\n";

const char sheet_f[] =
    "clock    0     1     2     3     4     5      6     7     8     9\n"
    "phase    addr  attr  resp  resp  resp  data0  term  turn  idle  idle\n"
    "FRAME#   0     0     0     0     0     0      0     1     z     z\n"
    "REQ64#   z     z     z     z     z     z      z     z     z     z\n"
    "IRDY#    z     1     1     0     0     0      0     1     z     z\n"
    "AD       ADDR  ATTR  D0    D0    D0    D0     D0    z     z     z\n"
    "C/BE#    7     BC    BE0   BE0   BE0   BE0    BE0   z     z     z\n"
    "DEVSEL#  z     z     z     z     0     0      1     z     z     z\n"
    "ACK64#   z     z     z     z     z     z      z     z     z     z\n"
    "TRDY#    z     z     z     z     1     0      1     z     z     z\n"
    "STOP#    z     z     z     z     1     1      1     z     z     z\n"
    "PAR      z     p0    p1    p2    p3    p4     p5    p6    z     z\n";

const char sheet_f_dual[] =
    "clock    0        1         2     3     4     5     6      7     8     9     10\n"
    "phase    addr1    addr2     attr  resp  resp  resp  data0  term  turn  idle  idle\n"
    "FRAME#   0        0         0     0     0     0     0      0     1     z     z\n"
    "REQ64#   z        z         z     z     z     z     z      z     z     z     z\n"
    "IRDY#    z        1         1     1     0     0     0      0     1     z     z\n"
    "AD       A[31:0]  A[63:32]  ATTR  D0    D0    D0    D0     D0    z     z     z\n"
    "C/BE#    D        7         BC    BE0   BE0   BE0   BE0    BE0   z     z     z\n"
    "DEVSEL#  z        z         z     z     z     0     0      1     z     z     z\n"
    "ACK64#   z        z         z     z     z     z     z      z     z     z     z\n"
    "TRDY#    z        z         z     z     z     1     0      1     z     z     z\n"
    "STOP#    z        z         z     z     z     1     1      1     z     z     z\n"
    "PAR      z        p0        p1    p2    p3    p4    p5     p6    p7    z     z\n";

const char sheet_f_two[] =
    "clock    0     1     2     3     4     5      6      7     8     9\n"
    "phase    addr  attr  resp  resp  resp  data0  data1  turn  idle  idle\n"
    "FRAME#   0     0     0     0     0     0      0      1     z     z\n"
    "REQ64#   0     0     0     0     0     0      0      1     z     z\n"
    "IRDY#    z     1     1     0     0     0      0      1     z     z\n"
    "AD       ADDR  ATTR  D0    D0    D0    D0     D1     z     z     z\n"
    "C/BE#    7     BC    BE0   BE0   BE0   BE0    BE1    z     z     z\n"
    "DEVSEL#  z     z     z     z     0     0      0      1     z     z\n"
    "ACK64#   z     z     z     z     0     0      0      1     z     z\n"
    "TRDY#    z     z     z     z     1     0      0      1     z     z\n"
    "STOP#    z     z     z     z     1     1      1      1     z     z\n"
    "PAR      z     p0    p1    p2    p3    p4     p5     p6    z     z\n";

const char sheet_g[] =
    "clock    0     1     2     3      4      5      6      7      8      9      10     11    12    13\n"
    "phase    addr  attr  resp  data0  data1  data2  data3  data4  data5  data6  data7  turn  idle  idle\n"
    "FRAME#   0     0     0     0      0      0      0      0      0      1      z      z     z     z\n"
    "REQ64#   0     0     0     0      0      0      0      0      0      1      z      z     z     z\n"
    "IRDY#    z     1     1     0      0      0      0      0      0      0      0      1     z     z\n"
    "AD       ADDR  ATTR  D0    D0     D1     D2     D3     D4     D5     D6     D7     z     z     z\n"
    "C/BE#    F     BC    FF    FF     FF     FF     FF     FF     FF     FF     FF     z     z     z\n"
    "DEVSEL#  z     z     0     0      0      0      0      0      0      0      0      1     z     z\n"
    "ACK64#   z     z     0     0      0      0      0      0      0      0      0      1     z     z\n"
    "TRDY#    z     z     1     0      0      0      0      0      0      0      0      1     z     z\n"
    "STOP#    z     z     1     1      1      1      1      1      1      1      1      1     z     z\n"
    "PAR      z     p0    p1    p2     p3     p4     p5     p6     p7     p8     p9     p10   z     z\n";

const char sheet_h[] =
    "clock    0     1     2     3     4     5      6     7     8     9\n"
    "phase    addr  attr  resp  resp  resp  retry  term  turn  idle  idle\n"
    "FRAME#   0     0     0     0     0     0      0     1     z     z\n"
    "REQ64#   0     0     0     0     0     0      0     1     z     z\n"
    "IRDY#    z     1     1     0     0     0      0     1     z     z\n"
    "AD       ADDR  ATTR  D0    D0    D0    D0     D1    z     z     z\n"
    "C/BE#    F     BC    FF    FF    FF    FF     FF    z     z     z\n"
    "DEVSEL#  z     z     z     z     0     0      1     z     z     z\n"
    "ACK64#   z     z     z     z     0     0      1     z     z     z\n"
    "TRDY#    z     z     z     z     1     1      1     z     z     z\n"
    "STOP#    z     z     z     z     1     0      1     z     z     z\n"
    "PAR      z     p0    p1    p2    p3    p4     p5    p6    z     z\n";

const char sheet_i_late[] =
    "clock    0     1     2     3     4     5      6      7      8      9      10     11     12     13    14    15    16\n"
    "phase    addr  attr  resp  resp  resp  data0  data1  data2  data3  data4  data5  data6  data7  turn  idle  idle  idle\n"
    "FRAME#   0     0     0     0     0     0      0      0      0      0      0      1      z      z     z     z     z\n"
    "REQ64#   0     0     0     0     0     0      0      0      0      0      0      1      z      z     z     z     z\n"
    "IRDY#    z     1     1     0     0     0      0      0      0      0      0      0      0      1     z     z     z\n"
    "AD       ADDR  ATTR  D0    D0    D0    D0     D1     D2     D3     D4     D5     D6     D7     z     z     z     z\n"
    "C/BE#    F     BC    FF    FF    FF    FF     FF     FF     FF     FF     FF     FF     FF     z     z     z     z\n"
    "DEVSEL#  z     z     z     z     0     0      0      0      0      0      0      0      0      1     z     z     z\n"
    "ACK64#   z     z     z     z     0     0      0      0      0      0      0      0      0      1     z     z     z\n"
    "TRDY#    z     z     z     z     1     0      0      0      0      0      0      0      0      1     z     z     z\n"
    "STOP#    z     z     z     z     1     1      1      1      1      0      0      0      0      1     z     z     z\n"
    "PAR      z     p0    p1    p2    p3    p4     p5     p6     p7     p8     p9     p10    p11    p12   z     z     z\n";

const char sheet_i_first[] =
    "clock    0     1     2     3     4     5      6      7      8      9      10     11     12     13    14    15    16\n"
    "phase    addr  attr  resp  resp  resp  data0  data1  data2  data3  data4  data5  data6  data7  turn  idle  idle  idle\n"
    "FRAME#   0     0     0     0     0     0      0      0      0      0      0      1      z      z     z     z     z\n"
    "REQ64#   0     0     0     0     0     0      0      0      0      0      0      1      z      z     z     z     z\n"
    "IRDY#    z     1     1     0     0     0      0      0      0      0      0      0      0      1     z     z     z\n"
    "AD       ADDR  ATTR  D0    D0    D0    D0     D1     D2     D3     D4     D5     D6     D7     z     z     z     z\n"
    "C/BE#    F     BC    FF    FF    FF    FF     FF     FF     FF     FF     FF     FF     FF     z     z     z     z\n"
    "DEVSEL#  z     z     z     z     0     0      0      0      0      0      0      0      0      1     z     z     z\n"
    "ACK64#   z     z     z     z     0     0      0      0      0      0      0      0      0      1     z     z     z\n"
    "TRDY#    z     z     z     z     1     0      0      0      0      0      0      0      0      1     z     z     z\n"
    "STOP#    z     z     z     z     1     0      0      0      0      0      0      0      0      1     z     z     z\n"
    "PAR      z     p0    p1    p2    p3    p4     p5     p6     p7     p8     p9     p10    p11    p12   z     z     z\n";

const char sheet_i_near[] =
    "clock    0     1     2     3     4     5      6      7     8     9     10\n"
    "phase    addr  attr  resp  resp  resp  data0  data1  turn  idle  idle  idle\n"
    "FRAME#   0     0     0     0     0     0      0      1     z     z     z\n"
    "REQ64#   0     0     0     0     0     0      0      1     z     z     z\n"
    "IRDY#    z     1     1     0     0     0      0      1     z     z     z\n"
    "AD       ADDR  ATTR  D0    D0    D0    D0     D1     z     z     z     z\n"
    "C/BE#    F     BC    FF    FF    FF    FF     FF     z     z     z     z\n"
    "DEVSEL#  z     z     z     z     0     0      0      1     z     z     z\n"
    "ACK64#   z     z     z     z     0     0      0      1     z     z     z\n"
    "TRDY#    z     z     z     z     1     0      0      1     z     z     z\n"
    "STOP#    z     z     z     z     1     0      0      1     z     z     z\n"
    "PAR      z     p0    p1    p2    p3    p4     p5     p6    z     z     z\n";

const char sheet_j[] =
    "clock    0     1     2     3     4     5      6     7     8     9\n"
    "phase    addr  attr  resp  resp  resp  data0  term  turn  idle  idle\n"
    "FRAME#   0     0     0     0     0     0      0     1     z     z\n"
    "REQ64#   0     0     0     0     0     0      0     1     z     z\n"
    "IRDY#    z     1     1     0     0     0      0     1     z     z\n"
    "AD       ADDR  ATTR  D0    D0    D0    D0     D1    z     z     z\n"
    "C/BE#    F     BC    FF    FF    FF    FF     FF    z     z     z\n"
    "DEVSEL#  z     z     z     z     0     1      1     z     z     z\n"
    "ACK64#   z     z     z     z     0     1      1     z     z     z\n"
    "TRDY#    z     z     z     z     1     0      1     z     z     z\n"
    "STOP#    z     z     z     z     1     0      1     z     z     z\n"
    "PAR      z     p0    p1    p2    p3    p4     p5    p6    z     z\n";

const char sheet_k[] =
    "clock    0     1     2     3     4     5       6     7     8     9\n"
    "phase    addr  attr  resp  resp  resp  tabort  term  turn  idle  idle\n"
    "FRAME#   0     0     0     0     0     0       0     1     z     z\n"
    "REQ64#   0     0     0     0     0     0       0     1     z     z\n"
    "IRDY#    z     1     1     0     0     0       0     1     z     z\n"
    "AD       ADDR  ATTR  D0    D0    D0    D0      D1    z     z     z\n"
    "C/BE#    F     BC    FF    FF    FF    FF      FF    z     z     z\n"
    "DEVSEL#  z     z     z     z     0     1       1     z     z     z\n"
    "ACK64#   z     z     z     z     0     1       1     z     z     z\n"
    "TRDY#    z     z     z     z     1     1       1     z     z     z\n"
    "STOP#    z     z     z     z     1     0       1     z     z     z\n"
    "PAR      z     p0    p1    p2    p3    p4      p5    p6    z     z\n";

const char sheet_l[] =
    "clock    0     1     2     3     4     5      6      7      8      9     10    11\n"
    "phase    addr  attr  resp  resp  resp  data0  data1  data2  data3  turn  idle  idle\n"
    "FRAME#   0     0     0     0     0     0      0      1      z      z     z     z\n"
    "REQ64#   0     0     0     0     0     0      0      1      z      z     z     z\n"
    "IRDY#    z     1     1     0     0     0      0      0      0      1     z     z\n"
    "AD       ADDR  ATTR  z     z     z     D0     D1     D2     D3     z     z     z\n"
    "C/BE#    E     BC    FF    FF    FF    FF     FF     FF     FF     z     z     z\n"
    "DEVSEL#  z     z     z     z     0     0      0      0      0      1     z     z\n"
    "ACK64#   z     z     z     z     0     0      0      0      0      1     z     z\n"
    "TRDY#    z     z     z     z     1     0      0      0      0      1     z     z\n"
    "STOP#    z     z     z     z     1     1      1      1      1      1     z     z\n"
    "PAR      z     p0    p1    z     z     z      p5     p6     p7     p8    z     z\n";

const char sheet_m[] =
    "clock    0     1     2     3     4     5     6     7     8     9     10\n"
    "phase    addr  attr  resp  resp  resp  resp  resp  resp  turn  idle  idle\n"
    "FRAME#   0     0     0     0     0     0     0     0     1     z     z\n"
    "REQ64#   0     0     0     0     0     0     0     0     1     z     z\n"
    "IRDY#    z     1     1     0     0     0     0     0     1     z     z\n"
    "AD       ADDR  ATTR  D0    D0    D0    D0    D0    D0    z     z     z\n"
    "C/BE#    F     BC    FF    FF    FF    FF    FF    FF    z     z     z\n"
    "DEVSEL#  z     z     z     z     z     z     z     z     z     z     z\n"
    "ACK64#   z     z     z     z     z     z     z     z     z     z     z\n"
    "TRDY#    z     z     z     z     z     z     z     z     z     z     z\n"
    "STOP#    z     z     z     z     z     z     z     z     z     z     z\n"
    "PAR      z     p0    p1    p2    p3    p4    p5    p6    p7    z     z\n";

/* (f) "two phases", as Memory Write Block: what the NIC does with a 16-byte DMA write */
const char sheet_f_two_block[] =
    "clock    0     1     2     3     4     5      6      7     8     9\n"
    "phase    addr  attr  resp  resp  resp  data0  data1  turn  idle  idle\n"
    "FRAME#   0     0     0     0     0     0      0      1     z     z\n"
    "REQ64#   0     0     0     0     0     0      0      1     z     z\n"
    "IRDY#    z     1     1     0     0     0      0      1     z     z\n"
    "AD       ADDR  ATTR  D0    D0    D0    D0     D1     z     z     z\n"
    "C/BE#    F     BC    FF    FF    FF    FF     FF     z     z     z\n"
    "DEVSEL#  z     z     z     z     0     0      0      1     z     z\n"
    "ACK64#   z     z     z     z     0     0      0      1     z     z\n"
    "TRDY#    z     z     z     z     1     0      0      1     z     z\n"
    "STOP#    z     z     z     z     1     1      1      1     z     z\n"
    "PAR      z     p0    p1    p2    p3    p4     p5     p6    z     z\n";

/* N = 1 as Memory Write Block, from 3.4 and 3.5: D0 stays, everything ends two clocks after the response */
const char sheet_one_block[] =
    "clock    0     1     2     3     4     5      6     7     8     9\n"
    "phase    addr  attr  resp  resp  resp  data0  term  turn  idle  idle\n"
    "FRAME#   0     0     0     0     0     0      0     1     z     z\n"
    "REQ64#   0     0     0     0     0     0      0     1     z     z\n"
    "IRDY#    z     1     1     0     0     0      0     1     z     z\n"
    "AD       ADDR  ATTR  D0    D0    D0    D0     D0    z     z     z\n"
    "C/BE#    F     BC    FF    FF    FF    FF     FF    z     z     z\n"
    "DEVSEL#  z     z     z     z     0     0      1     z     z     z\n"
    "ACK64#   z     z     z     z     0     0      1     z     z     z\n"
    "TRDY#    z     z     z     z     1     0      1     z     z     z\n"
    "STOP#    z     z     z     z     1     1      1     z     z     z\n"
    "PAR      z     p0    p1    p2    p3    p4     p5    p6    z     z\n";
