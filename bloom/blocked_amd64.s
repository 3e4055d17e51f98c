//go:build !purego && !race

#include "textflag.h"

// The functions in this file are like addBlocked and hasBlocked in bloom.go.
// Two of them process a block of digests. Value i of the probe sequence of digest
// d is d times powers[i], modulo 2^64.
//
// Registers: R8 is the first line, DX the number of lines, SI the digests, CX
// their number, AX the index of the current digest, and R9 powers[0]. Lines are
// prefetched R14 digests ahead.

// AHEAD is the maximum of R14. When the filter is larger than the cache, a fetch
// needs as much time as about 20 lookups.
#define AHEAD 24

// LINE sets reg to the offset in bytes of digest i's line.
#define LINE(i, reg) \
	MOVQ  (SI)(i*8), reg; \
	IMULQ R9, reg;        \
	MULXQ reg, reg, reg;  \
	SHLQ  $6, reg

// START prepares the registers. The loop begins with negative indexes, for which
// lines are only fetched.
#define START \
	SHRQ $3, DX;              \
	MOVQ ·powers+0(SB), R9;   \
	MOVL $AHEAD, R14;         \
	CMPQ R14, CX;             \
	CMOVQGT CX, R14;          \
	MOVQ R14, AX;             \
	NEGQ AX

DATA first<>+0(SB)/8, $0
DATA first<>+8(SB)/8, $-64
DATA first<>+16(SB)/8, $-128
DATA first<>+24(SB)/8, $-192
DATA first<>+32(SB)/8, $-256
DATA first<>+40(SB)/8, $-320
DATA first<>+48(SB)/8, $-384
DATA first<>+56(SB)/8, $-448
GLOBL first<>(SB), RODATA|NOPTR, $64

// BIT sets a single bit of z, at the next position of the digest. Word j is 1
// shifted by the position minus 64*j, or zero if this is negative or above 63.
#define BIT(z) \
	IMULQ        R9, R10;    \
	MOVQ         R10, R11;   \
	SHRQ         $55, R11;   \
	VPBROADCASTQ R11, z;     \
	VPADDQ       z, Z1, z;   \
	VPSLLVQ      z, Z0, z

// func addLinesAVX512(words []uint64, digests []hashfam.Digest, k int)
TEXT ·addLinesAVX512(SB), NOSPLIT, $0-56
	MOVQ         words_base+0(FP), R8
	MOVQ         words_len+8(FP), DX
	MOVQ         digests_base+24(FP), SI
	MOVQ         digests_len+32(FP), CX
	MOVQ         k+48(FP), DI
	START
	MOVL         $1, R10
	VPBROADCASTQ R10, Z0
	VMOVDQU64    first<>(SB), Z1

loop:
	LEAQ (AX)(R14*1), BX
	CMPQ BX, CX
	JGE  fetched
	LINE(BX, R12)
	PREFETCHT0 (R8)(R12*1)

fetched:
	TESTQ     AX, AX
	JLT       next
	LINE(AX, BX)
	VMOVDQU64 (R8)(BX*1), Z2
	MOVQ      (SI)(AX*8), R10
	IMULQ     R9, R10
	MOVQ      DI, R13
	SHRQ      $1, R13
	JCC       pairs
	BIT(Z3)
	VPORQ     Z3, Z2, Z2
	TESTQ     R13, R13
	JEQ       done

pairs:
	BIT(Z3)
	BIT(Z4)
	VPTERNLOGQ $0xFE, Z3, Z4, Z2 // OR of the three
	DECQ      R13
	JNE       pairs

done:
	VMOVDQU64 Z2, (R8)(BX*1)

next:
	INCQ AX
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// BITS sets z to eight words for eight positions of the digest in d, whose powers
// are in p. Bit 0 of each word is the bit at this position of the line at R8+BX:
// the rotation uses the position modulo 64. BITS overwrites y.
#define BITS(p, d, y, z) \
	VPMULLQ p, d, y;          \
	VPSRLQ  $61, y, z;        \
	VPSRLQ  $55, y, y;        \
	VPERMQ  (R8)(BX*1), z, z; \
	VPRORVQ y, z, z

// func hasLinesAVX512(dst []bool, words []uint64, digests []hashfam.Digest, k int)
TEXT ·hasLinesAVX512(SB), NOSPLIT, $0-80
	MOVQ dst_base+0(FP), DI
	MOVQ words_base+24(FP), R8
	MOVQ words_len+32(FP), DX
	MOVQ digests_base+48(FP), SI
	MOVQ digests_len+56(FP), CX
	MOVQ k+72(FP), R10
	START

	// K1 selects the last one to eight positions, and Z1 contains their powers.
	// R11 is the address of these powers, and R10 the negated number of bytes of
	// all earlier powers.
	DECQ       R10
	MOVL       R10, BX
	ANDL       $7, BX
	INCL       BX
	MOVL       $-1, R12
	BZHIL      BX, R12, R12
	KMOVB      R12, K1
	SHRQ       $3, R10
	SHLQ       $6, R10
	LEAQ       ·powers+8(SB), R11
	ADDQ       R10, R11
	NEGQ       R10
	VMOVDQU64  (R11), Z1
	VPTERNLOGQ $0xFF, Z5, Z5, Z5 // all ones
	VPSRLQ     $63, Z5, Z6       // bit 0 of every word

loop:
	LEAQ (AX)(R14*1), BX
	CMPQ BX, CX
	JGE  fetched
	LINE(BX, R12)
	PREFETCHT0 (R8)(R12*1)

fetched:
	TESTQ        AX, AX
	JLT          next
	LINE(AX, BX)
	VPBROADCASTQ (SI)(AX*8), Z0
	VMOVDQA64    Z5, Z2
	MOVQ         R10, R13
	TESTQ        R13, R13
	JEQ          last

eight:
	BITS((R11)(R13*1), Z0, Z3, Z4)
	VPANDQ Z4, Z2, Z2
	ADDQ   $64, R13
	JNE    eight

last:
	BITS(Z1, Z0, Z3, Z4)
	VPANDQ    Z4, Z2, K1, Z2
	VPTESTNMQ Z6, Z2, K2 // the words whose bit 0 is not set
	KORTESTB  K2, K2
	SETEQ     (DI)(AX*1)

next:
	INCQ AX
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// func hasLineAVX512(words []uint64, digest hashfam.Digest, k int) bool
//
// It uses only Z16 and above, so it needs no VZEROUPPER.
TEXT ·hasLineAVX512(SB), NOSPLIT, $0-41
	MOVQ         words_len+8(FP), DX
	MOVQ         digest+24(FP), BX
	VPBROADCASTQ BX, Z16
	IMULQ        ·powers+0(SB), BX
	MOVQ         k+32(FP), CX
	SHRQ         $3, DX
	MOVQ         words_base+0(FP), R8
	MULXQ        BX, BX, BX
	SHLQ         $6, BX
	LEAQ         ·powers+8(SB), R9
	VPTERNLOGQ   $0xFF, Z18, Z18, Z18
	CMPQ         CX, $8
	JHI          eight

last:
	MOVL           $-1, AX
	BZHIL          CX, AX, AX
	KMOVB          AX, K1 // the last one to eight positions
	BITS((R9), Z16, Z17, Z19)
	VPANDQ         Z19, Z18, K1, Z18
	VPTESTNMQ.BCST one<>(SB), Z18, K2
	KORTESTB       K2, K2
	SETEQ          ret+40(FP)
	RET

eight:
	BITS((R9), Z16, Z17, Z19)
	VPANDQ Z19, Z18, Z18
	ADDQ   $64, R9
	SUBQ   $8, CX
	CMPQ   CX, $8
	JHI    eight
	JMP    last

DATA one<>+0(SB)/8, $1
GLOBL one<>(SB), RODATA|NOPTR, $8

// func addLineAVX512(words []uint64, digest hashfam.Digest, k int)
//
// It uses only Z16 and above, so it needs no VZEROUPPER.
TEXT ·addLineAVX512(SB), NOSPLIT, $0-40
	MOVQ         words_len+8(FP), DX
	MOVQ         digest+24(FP), R10
	MOVQ         ·powers+0(SB), R9
	IMULQ        R9, R10
	SHRQ         $3, DX
	MOVQ         words_base+0(FP), R8
	MULXQ        R10, BX, BX
	SHLQ         $6, BX
	MOVQ         k+32(FP), CX
	VMOVDQU64    first<>(SB), Z17
	VPBROADCASTQ one<>(SB), Z16
	VMOVDQU64    (R8)(BX*1), Z18

position:
	IMULQ        R9, R10
	MOVQ         R10, R11
	SHRQ         $55, R11
	VPBROADCASTQ R11, Z19
	VPADDQ       Z19, Z17, Z19
	VPSLLVQ      Z19, Z16, Z19
	VPORQ        Z19, Z18, Z18
	DECQ         CX
	JNE          position
	VMOVDQU64    Z18, (R8)(BX*1)
	RET
