/* The clock tables of pcix.md, section 12 (text as in the sheet). core_player.h says how they are read. */
#ifndef NICXBAR_TB_CORE_SHEET_H
#define NICXBAR_TB_CORE_SHEET_H

extern const char sheet_a_decode_c[];  /* (a) Memory Write Block, 8 quadwords, decode C */
extern const char sheet_a_decode_a[];  /* (a) the same, decode A */
extern const char sheet_a_wait_pair[]; /* (a) the same, decode A, one wait pair */
extern const char sheet_a_dual[];      /* (a-DAC) the same, decode C, 64-bit address */
extern const char sheet_b_decode_a[];  /* (b) Memory Read Block, Split Response, decode A */
extern const char sheet_b_decode_c[];  /* (b) the same, decode C */
extern const char sheet_c_four[];      /* (c) Split Completion of 4 quadwords, decode C */
extern const char sheet_c_three[];     /* (c) of 3 quadwords */
extern const char sheet_d[];           /* (d) Memory Read DWORD, decode C */
extern const char sheet_e_write[];     /* (e) Configuration Write, decode C */
extern const char sheet_e_read[];      /* (e) Configuration Read, decode C */
extern const char sheet_f[];           /* (f) Memory Write of 4 bytes, 32 bit, decode C */
extern const char sheet_f_dual[];      /* (f) the same with DAC */
extern const char sheet_f_two[];       /* (f) two 64-bit phases of Memory Write */
extern const char sheet_g[];           /* (g) initiator disconnect at an ADB, decode A */
extern const char sheet_h[];           /* (h) Retry, decode C */
extern const char sheet_i_late[];      /* (i) Disconnect at Next ADB at the last moment */
extern const char sheet_i_first[];     /* (i) on the first data phase */
extern const char sheet_i_near[];      /* (i) on the first data phase, ADB 2 phases away */
extern const char sheet_j[];           /* (j) Single Data Phase Disconnect, decode C */
extern const char sheet_k[];           /* (k) Target-Abort, decode C */
extern const char sheet_l[];           /* (l) Memory Read Block, immediate data, decode C */
extern const char sheet_m[];           /* (m) Master-Abort */
extern const char sheet_f_two_block[]; /* 2 data phases of Memory Write Block, decode C */
extern const char sheet_one_block[];   /* 1 data phase of Memory Write Block, decode C */

#endif
