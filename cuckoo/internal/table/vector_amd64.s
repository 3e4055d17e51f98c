//go:build !purego && !race

#include "go_asm.h"
#include "textflag.h"

// HIGH sets hi to x*n/2^64, for n below 2^32. It overwrites y.
#define HIGH(x, n, hi, y) \
	VPSRLQ   $32, x, y;   \
	VPMULUDQ n, x, hi;    \
	VPMULUDQ n, y, y;     \
	VPSRLQ   $32, hi, hi; \
	VPADDQ   hi, y, hi;   \
	VPSRLQ   $32, hi, hi

// MINUS subtracts the offset from x modulo m: of x-offset and x-offset+m, the
// one that has not wrapped around is the lesser. It overwrites y.
#define MINUS(offset, x, y) \
	VPSUBQ  offset, x, x; \
	VPADDQ  Z2, x, y;     \
	VPMINUQ y, x, x

// LOAD replaces bucket i by the word that begins there.
#define LOAD(i, at, w) \
	VPMULUDQ   Z8, i, i;           \
	VPSRLQ     $3, i, at;          \
	VPANDQ     Z12, i, i;          \
	KMOVB      K1, K2;             \
	VPXORQ     w, w, w;            \
	VPGATHERQQ (R8)(at*1), K2, w;  \
	VPSRLVQ    i, w, w

// DECODE is Table.Decode. It overwrites n.
#define DECODE(w, n) \
	VPANDQ     Z18, w, n;          \
	KMOVB      K1, K2;             \
	VPXORQ     Z31, Z31, Z31;      \
	VPGATHERQQ (R9)(n*2), K2, Z31; \
	VPSLLQ     $48, Z31, Z31;      \
	VPSRLQ     $48, Z31, Z31;      \
	VPSLLQ     $24, Z31, n;        \
	VPORQ      Z31, n, n;          \
	VPANDQ     Z13, n, n;          \
	VPSLLQ     $12, n, Z31;        \
	VPORQ      Z31, n, n;          \
	VPANDQ     Z14, n, n;          \
	VPSRLQ     $12, w, w;          \
	VPSLLQ     X20, w, Z31;        \
	VPTERNLOGQ $0xE4, Z15, Z31, w; \
	VPSLLQ     X19, w, Z31;        \
	VPANDQ     Z17, Z31, Z31;      \
	VPANDQ     Z16, w, w;          \
	VPORQ      Z31, w, w;          \
	VPSLLQ     X21, n, n;          \
	VPORQ      n, w, w

// BROADCAST sets z to the 64-bit word at an address.
#define BROADCAST(from, z) \
	MOVQ         from, AX; \
	VPBROADCASTQ AX, z

// func hasVector(dst []bool, t *Table, p *Partners, digests []hashfam.Digest, multiplier hashfam.Probe)
//
// Registers: R8 is the table, R9 the nibbles, SI the digests, CX their number,
// AX the index of the first digest of a group, DI dst, BX zero unless the table is
// sorted. Z0 is the multiplier, Z1 mask, Z2 m, Z3 the key of the partners, Z4
// and Z5 its multipliers, Z6 the number of offsets, Z7 one, Z8 stride, Z9 ones,
// Z10 tops, Z11 all bits but the highest, Z12 seven, and Z13 to Z21 what decode
// needs.
TEXT ·hasVector(SB), NOSPLIT, $0-72
	MOVQ         t+24(FP), BX
	MOVQ         p+32(FP), R10
	BROADCAST(multiplier+64(FP), Z0)
	BROADCAST(Table_format+format_Mask(BX), Z1)
	BROADCAST(Partners_buckets(R10), Z2)
	BROADCAST(Partners_key(R10), Z3)
	BROADCAST($0xBF58476D1CE4E5B9, Z4)
	BROADCAST($0x94D049BB133111EB, Z5)
	BROADCAST(Partners_offsets(R10), Z6)
	BROADCAST($1, Z7)
	BROADCAST(Table_stride(BX), Z8)
	BROADCAST(Table_format+format_Ones(BX), Z9)
	BROADCAST(Table_format+format_tops(BX), Z10)
	BROADCAST($0x7fffffffffffffff, Z11)
	BROADCAST($7, Z12)
	BROADCAST($0x000000ff000000ff, Z13)
	BROADCAST($0x000f000f000f000f, Z14)
	BROADCAST($0x00000000ffffffff, Z15)
	BROADCAST(Table_restMask(BX), Z16)
	VPSLLQ       $16, Z16, Z17
	BROADCAST($const_codeMask, Z18)
	MOVQ         Table_rest(BX), AX
	VMOVQ        AX, X21
	NEGQ         AX
	LEAQ         16(AX), DX
	VMOVQ        DX, X19
	LEAQ         32(AX)(AX*1), DX
	VMOVQ        DX, X20
	MOVQ         Table_Bytes(BX), R8
	MOVBLZX      Table_Sorted(BX), BX
	LEAQ         ·nibbles(SB), R9
	MOVQ         dst_base+0(FP), DI
	MOVQ         digests_base+40(FP), SI
	MOVQ         digests_len+48(FP), CX
	MOVL         $-1, R11
	XORL         AX, AX

group:
	MOVQ        CX, DX
	SUBQ        AX, DX
	MOVL        $-1, R10
	CMPQ        DX, $8
	JGE         whole
	BZHIL       DX, R11, R10

whole:
	KMOVB       R10, K1
	VMOVDQU64.Z (SI)(AX*8), K1, Z22
	VPMULLQ     Z0, Z22, Z22
	HIGH(Z22, Z1, Z23, Z24)
	VPADDQ      Z7, Z23, Z23   // Z23: the fingerprint
	VPMULLQ     Z1, Z22, Z22
	HIGH(Z22, Z2, Z24, Z25)    // Z24: x
	VPXORQ      Z3, Z23, Z25
	VPMULLQ     Z4, Z25, Z25
	VPSRLQ      $32, Z25, Z26
	VPXORQ      Z26, Z25, Z25
	VPMULLQ     Z5, Z25, Z25
	HIGH(Z25, Z6, Z26, Z27)    // Z26: the offset
	VPSRLQ      $32, Z25, Z27
	VPXORQ      Z27, Z25, Z25
	VPORQ       Z7, Z25, Z25   // the pattern
	VPXORQ      Z2, Z24, Z27
	VPORQ       Z7, Z27, Z27
	VPLZCNTQ    Z27, Z27
	VPSRLVQ     Z27, Z11, Z27
	VPANDQ      Z25, Z27, Z27
	VPXORQ      Z24, Z27, Z27  // Z27: y
	MINUS(Z26, Z24, Z28)
	MINUS(Z26, Z27, Z28)
	LOAD(Z24, Z28, Z29)
	LOAD(Z27, Z28, Z30)
	TESTL       BX, BX
	JEQ         match
	DECODE(Z29, Z28)
	DECODE(Z30, Z28)

match:
	VPMULLQ     Z9, Z23, Z23
	VPXORQ      Z23, Z29, Z29
	VPXORQ      Z23, Z30, Z30
	VPSUBQ      Z9, Z29, Z27
	VPANDNQ     Z27, Z29, Z27
	VPSUBQ      Z9, Z30, Z28
	VPANDNQ     Z28, Z30, Z28
	VPORQ       Z27, Z28, Z27
	VPTESTMQ    Z10, Z27, K1, K2
	VMOVDQU8.Z  one<>(SB), K2, X27
	VMOVDQU8    X27, K1, (DI)(AX*1)
	ADDQ        $8, AX
	CMPQ        AX, CX
	JLT         group
	VZEROUPPER
	RET

DATA one<>+0(SB)/8, $0x0101010101010101
DATA one<>+8(SB)/8, $0x0101010101010101
GLOBL one<>(SB), RODATA|NOPTR, $16
