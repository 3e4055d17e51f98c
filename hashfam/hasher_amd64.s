//go:build !purego && !appengine

#include "textflag.h"

// A single SipHash in two registers. Sections and figures refer to Aumasson and
// Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012.
//
// X0 contains v0 in its lower half and v2 in its upper half; X1 contains v1 and
// v3. Since each instruction processes two of the four words, a SipRound needs
// eight instructions instead of fourteen.

DATA first<>+0(SB)/8, $0x736f6d6570736575
DATA first<>+8(SB)/8, $0x6c7967656e657261
GLOBL first<>(SB), RODATA|NOPTR, $16

DATA second<>+0(SB)/8, $0x646f72616e646f6d
DATA second<>+8(SB)/8, $0x7465646279746573
GLOBL second<>(SB), RODATA|NOPTR, $16

DATA lower<>+0(SB)/8, $13
DATA lower<>+8(SB)/8, $16
GLOBL lower<>(SB), RODATA|NOPTR, $16

DATA upper<>+0(SB)/8, $17
DATA upper<>+8(SB)/8, $21
GLOBL upper<>(SB), RODATA|NOPTR, $16

DATA ending<>+0(SB)/8, $0
DATA ending<>+8(SB)/8, $0xff
GLOBL ending<>(SB), RODATA|NOPTR, $16

// HALF is half a SipRound (figure 2.1): two additions, two rotations by the
// distances in rot, and two XORs. Then it rotates the lower word of X0 by 32 and
// exchanges the two words of X0, as the other half requires.
#define HALF(rot) \
	VPADDQ  X1, X0, X0;  \
	VPROLVQ rot, X1, X1; \
	VPXOR   X0, X1, X1;  \
	VPSHUFD $0x1e, X0, X0

#define SIPROUND HALF(X2); HALF(X3)

// COMPRESS processes the word in the lower half of X4 (section 2.2).
#define COMPRESS \
	VPSLLDQ $8, X4, X5; \
	VPXOR   X5, X1, X1; \
	SIPROUND;           \
	SIPROUND;           \
	VPXOR   X4, X0, X0

// func sumKey(k0, k1 uint64, first *byte, n int, far uint64) Digest
//
// The arguments have the same layout as the arguments of siphash.Hash. Its slice
// capacity, which it does not read, is replaced by far.
TEXT ·sumKey(SB), NOSPLIT, $0-48
	CMPQ far+32(FP), $0
	JEQ  near
	MOVQ first+16(FP), SI
	MOVQ n+24(FP), CX
	VPBROADCASTQ k0+0(FP), X0
	VPBROADCASTQ k1+8(FP), X1
	VMOVDQU lower<>(SB), X2
	VMOVDQU upper<>(SB), X3
	VPXOR first<>(SB), X0, X0
	VPXOR second<>(SB), X1, X1
	MOVQ CX, AX
	SHLQ $56, AX          // the last word: the length and the remaining bytes
	MOVQ CX, DX
	ANDQ $-8, DX
	JEQ  short
	ADDQ SI, DX           // the end of the whole words

words:
	VMOVQ (SI), X4
	COMPRESS
	ADDQ  $8, SI
	CMPQ  SI, DX
	JLO   words
	ANDQ  $7, CX
	JEQ   last
	MOVQ  -8(SI)(CX*1), BX // the last eight bytes, which overlap the previous word
	SHLQ  $3, CX
	NEGQ  CX
	SHRQ  CX, BX
	ORQ   BX, AX
	JMP   last

short: // fewer than eight bytes
	TESTQ CX, CX
	JEQ   last
	CMPQ  CX, $4
	JLO   tiny
	MOVL  (SI), BX
	MOVL  -4(SI)(CX*1), DX // the last four bytes, which overlap the first four
	SHLQ  $3, CX
	SUBQ  $32, CX
	SHLQ  CX, DX
	ORQ   BX, AX
	ORQ   DX, AX
	JMP   last

tiny: // one to three bytes: the first, the middle and the last
	MOVBLZX (SI), BX
	MOVBLZX -1(SI)(CX*1), DI
	ORQ     BX, AX
	MOVQ    CX, DX
	SHRQ    $1, DX
	MOVBLZX (SI)(DX*1), BX
	SHLQ    $3, CX
	SUBQ    $8, CX
	SHLQ    CX, DI
	ORQ     DI, AX
	SHLQ    $3, DX
	MOVQ    DX, CX
	SHLQ    CX, BX
	ORQ     BX, AX

last:
	VMOVQ AX, X4
	COMPRESS
	VPXOR ending<>(SB), X0, X0
	SIPROUND
	SIPROUND
	SIPROUND
	SIPROUND
	VPXOR   X1, X0, X0
	VPSHUFD $0x4e, X0, X1
	VPXOR   X1, X0, X0
	VMOVQ   X0, ret+40(FP)
	RET

near:
	JMP github·com∕dchest∕siphash·Hash(SB)
