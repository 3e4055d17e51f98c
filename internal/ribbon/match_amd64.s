//go:build !purego && !race

#include "go_asm.h"
#include "textflag.h"

// WORD sets z to eight copies of the number n.
#define WORD(n, z) \
	MOVQ         n, AX; \
	VPBROADCASTQ AX, z

// func prepareAVX512(b *block, l *layer, digests []hashfam.Digest)
//
// It processes eight digests at a time, in the lanes of a register.
TEXT ·prepareAVX512(SB), NOSPLIT, $0-40
	MOVQ b+0(FP), DI
	MOVQ l+8(FP), BX
	MOVQ digests_base+16(FP), SI
	MOVQ digests_len+24(FP), CX
	MOVQ layer_thresholds(BX), R9
	MOVQ layer_words(BX), R8
	MOVQ geometry_r(BX), R10
	MOVQ $0, block_bumped+0(DI)
	MOVQ $0, block_bumped+8(DI)

	VPBROADCASTQ ·multiplier(SB), Z31
	VPBROADCASTQ geometry_starts(BX), Z30
	VPBROADCASTQ geometry_narrow(BX), Z29
	VPBROADCASTQ R10, Z28
	WORD($1, Z27)
	WORD($60, Z26)
	WORD($15, Z25)
	WORD($31, Z24)
	WORD($14, Z23)
	WORD($63, Z22)
	VPSLLVQ      Z28, Z27, Z21
	VPSUBQ       Z27, Z21, Z21 // one bit per column
	XORL         DX, DX        // the index of the first digest

loop:
	MOVL      $-1, AX
	BZHIL     CX, AX, AX // one bit per remaining digest; only 8 bits are used
	KMOVB     AX, K1
	VMOVDQU64.Z (SI)(DX*8), K1, Z0
	VPMULLQ   Z31, Z0, Z0 // the three values of the probe sequence
	VPMULLQ   Z31, Z0, Z1
	VPMULLQ   Z31, Z1, Z2

	// Z3 is the start: the upper half of the product, from two 32-bit products.
	VPMULUDQ  Z30, Z0, Z3
	VPSRLQ    $32, Z0, Z4
	VPMULUDQ  Z30, Z4, Z4
	VPSRLQ    $32, Z3, Z3
	VPADDQ    Z3, Z4, Z4
	VPSRLQ    $32, Z4, Z3

	// Z5 is the threshold, Z6 the group.
	VPSRLQ    $12, Z3, Z4
	KXNORB    K2, K2, K2
	VPGATHERQQ (R9)(Z4*8), K2, Z5
	VPSRLQ    $6, Z3, Z6
	VPANDQ    Z26, Z6, Z6
	VPSRLVQ   Z6, Z5, Z5
	VPANDQ    Z25, Z5, Z5
	VPSRLQ    $3, Z3, Z6
	VPANDQ    Z24, Z6, Z6
	VPMINUQ   Z23, Z6, Z6
	VPCMPUQ   $1, Z5, Z6, K1, K3
	KMOVB     K3, AX
	MOVQ      DX, R11
	SHRQ      $3, R11
	MOVB      AX, block_bumped(DI)(R11*1)

	// Z6 is the segment, Z7 its first word, Z9 the first word of the next one.
	VPSRLQ    $6, Z3, Z6
	VPSRLQ    $16, Z3, Z7
	VPADDQ    Z6, Z7, Z6
	VPMULUDQ  Z28, Z6, Z7
	VPMINUQ   Z29, Z6, Z8
	VPSUBQ    Z8, Z7, Z7
	VPCMPUQ   $1, Z29, Z6, K4 // narrow
	VPADDQ    Z28, Z7, Z9
	VPSUBQ    Z27, Z9, K4, Z9
	VMOVDQU64 Z7, block_at(DI)(DX*8)
	VMOVDQU64 Z9, block_next(DI)(DX*8)

	// Z10 are the coefficients.
	VPSRLQ    $32, Z1, Z10
	VPXORQ    Z1, Z10, Z10
	VPORQ     Z27, Z10, Z10
	VPANDQ    Z22, Z3, Z11
	VPSLLVQ   Z11, Z10, Z12
	VPSRLQ    $1, Z10, Z10
	VPXORQ    Z22, Z11, Z11
	VPSRLVQ   Z11, Z10, Z13
	VMOVDQU64 Z12, block_low(DI)(DX*8)
	VMOVDQU64 Z13, block_high(DI)(DX*8)

	// Z2 is the fingerprint and the mask of the segment's columns.
	VMOVDQA64 Z21, Z14
	VPSRLQ    $1, Z21, K4, Z14
	VPSRLQ    $32, Z2, Z2
	VPSLLQ    $32, Z2, Z2
	VPORQ     Z14, Z2, Z2
	VMOVDQU64 Z2, block_tag(DI)(DX*8)

	LEAQ      block_at(DI)(DX*8), R11
	MOVL      $8, R12

fetch:
	MOVQ       (R11), AX
	LEAQ       (R8)(AX*8), AX
	PREFETCHT0 (AX)
	PREFETCHT0 64(AX)
	SHLQ       $4, R10
	PREFETCHT0 -8(AX)(R10*1)
	SHRQ       $4, R10
	ADDQ       $8, R11
	DECL       R12
	JNE        fetch

	ADDQ $8, DX
	SUBQ $8, CX
	JG   loop
	VZEROUPPER
	RET

// func matchAVX512(dst []bool, b *block, l *layer)
//
// It computes up to eight columns for one digest at a time, in the lanes of a
// register.
TEXT ·matchAVX512(SB), NOSPLIT, $0-40
	MOVQ dst_base+0(FP), SI
	MOVQ dst_len+8(FP), CX
	MOVQ b+24(FP), DI
	MOVQ l+32(FP), BX
	MOVQ layer_words(BX), R8
	MOVQ geometry_r(BX), R10
	WORD($1, Z27)
	XORL DX, DX

	// K1 selects the last one to eight columns, R10 is the number of groups
	// before them.
	DECQ  R10
	MOVQ  R10, BX
	ANDL  $7, BX
	INCL  BX
	MOVL  $-1, AX
	BZHIL BX, AX, AX
	KMOVB AX, K1
	SHRQ  $3, R10
	JNE   many

#define COLUMNS(k) \
	VPANDQ.Z     (R8)(AX*8), Z0, k, Z2;              \
	VPTERNLOGQ.Z $0x78, (R8)(BX*8), Z1, k, Z2;       \
	VPOPCNTQ     Z2, Z2;                             \
	VPTESTMQ     Z27, Z2, K2;                        \
	KMOVB        K2, R9

loop:
	MOVQ         block_at(DI)(DX*8), AX
	MOVQ         block_next(DI)(DX*8), BX
	VPBROADCASTQ block_low(DI)(DX*8), Z0
	VPBROADCASTQ block_high(DI)(DX*8), Z1
	COLUMNS(K1)
	XORL         block_tag+4(DI)(DX*8), R9
	TESTL        block_tag(DI)(DX*8), R9
	SETEQ        (SI)(DX*1)
	INCQ         DX
	CMPQ         DX, CX
	JLT          loop
	VZEROUPPER
	RET

many:
	KXNORB K3, K3, K3

digest:
	MOVQ         block_at(DI)(DX*8), AX
	MOVQ         block_next(DI)(DX*8), BX
	VPBROADCASTQ block_low(DI)(DX*8), Z0
	VPBROADCASTQ block_high(DI)(DX*8), Z1
	MOVL         block_tag+4(DI)(DX*8), R11
	MOVL         block_tag(DI)(DX*8), R12
	MOVQ         R10, R13

eight:
	COLUMNS(K3)
	XORL  R11, R9
	TESTB R9, R9 // the mask of eight columns
	JNE   differs
	ADDQ  $8, AX
	ADDQ  $8, BX
	SHRL  $8, R11
	SHRL  $8, R12
	DECQ  R13
	JNE   eight
	COLUMNS(K1)
	XORL  R11, R9
	ANDL  R12, R9

differs:
	TESTB R9, R9
	SETEQ (SI)(DX*1)
	INCQ  DX
	CMPQ  DX, CX
	JLT   digest
	VZEROUPPER
	RET

// func containsAVX512(l *layer, digest hashfam.Digest) answer
//
// It loads the words first, so that the loads of many calls overlap. It only
// uses Z16 and above, so VZEROUPPER is not needed. With up to eight columns, it
// does not branch on the result, which would often be mispredicted. With more,
// it returns early if the first eight differ, as they do for most absent
// digests.
TEXT ·containsAVX512(SB), NOSPLIT, $0-17
	MOVQ  l+0(FP), DI
	MOVQ  digest+8(FP), DX
	MOVQ  ·multiplier(SB), SI
	MOVQ  layer_words(DI), R8
	MOVQ  geometry_r(DI), R10
	MOVQ  geometry_narrow(DI), R12
	IMULQ SI, DX
	MULXQ geometry_starts(DI), R9, CX // the start
	IMULQ SI, DX

	// AX is the segment's first word, BX the first word of the next one, R9 the
	// number of the segment's columns: one less if it is narrow. R13 has a bit
	// for each of them.
	MOVQ       CX, AX
	MOVQ       CX, BX
	SHRQ       $6, AX
	SHRQ       $16, BX
	ADDQ       BX, AX
	MOVQ       R10, R9
	CMPQ       AX, R12
	CMOVQCS    AX, R12
	SBBQ       $0, R9
	IMULQ      R10, AX
	SUBQ       R12, AX
	LEAQ       (AX)(R9*1), BX
	PREFETCHT0 (R8)(AX*8)
	PREFETCHT0 (R8)(BX*8)
	LEAQ       (BX)(R10*1), R13
	PREFETCHT0 -8(R8)(R13*8)
	MOVL       $-1, R13
	BZHIL      R9, R13, R13

	// R9 is the threshold, R11 the group.
	MOVQ    layer_thresholds(DI), R9
	MOVQ    CX, R11
	SHRQ    $12, R11
	MOVQ    (R9)(R11*8), R9
	RORXQ   $6, CX, R11
	ANDL    $60, R11
	SHRXQ   R11, R9, R9
	ANDL    $15, R9
	RORXQ   $3, CX, R11
	ANDL    $31, R11
	MOVL    $14, R12
	CMPL    R11, R12
	CMOVLGT R12, R11
	CMPL    R11, R9
	JLT     bumps

	// DX is the second value of the probe sequence, and then the fingerprint.
	MOVQ         DX, R9
	SHRQ         $32, R9
	XORQ         DX, R9
	ORQ          $1, R9
	IMULQ        SI, DX
	SHRQ         $32, DX
	SHLXQ        CX, R9, R12
	VPBROADCASTQ R12, Z16
	SHRQ         $1, R9
	NOTQ         CX
	SHRXQ        CX, R9, R9
	VPBROADCASTQ R9, Z17

	// As long as there are more than eight columns, eight are compared. DX and
	// R13 are shifted to the next ones.
	CMPQ R10, $8
	JLE  last

eight:
	VPANDQ        (R8)(AX*8), Z16, Z18
	VPTERNLOGQ    $0x78, (R8)(BX*8), Z17, Z18
	VPOPCNTQ      Z18, Z18
	VPTESTMQ.BCST bit<>(SB), Z18, K2
	KMOVB         K2, R9
	CMPB          R9, DX
	JNE           differs
	ADDQ          $8, AX
	ADDQ          $8, BX
	SHRL          $8, DX
	SHRL          $8, R13
	SUBQ          $8, R10
	CMPQ          R10, $8
	JGT           eight

last:
	KMOVB         R13, K1
	VPANDQ.Z      (R8)(AX*8), Z16, K1, Z18
	VPTERNLOGQ.Z  $0x78, (R8)(BX*8), Z17, K1, Z18
	VPOPCNTQ      Z18, Z18
	VPTESTMQ.BCST bit<>(SB), Z18, K2
	KMOVB         K2, R9
	XORL          DX, R9
	TESTL         R13, R9
	SETEQ         ret+16(FP) // present is 1, and absent is 0
	RET

differs:
	MOVB $const_absent, ret+16(FP)
	RET

bumps:
	MOVB $const_bumped, ret+16(FP)
	RET

DATA bit<>+0(SB)/8, $1
GLOBL bit<>(SB), RODATA|NOPTR, $8

// func containsInAVX512(l *encodedLayer, digest hashfam.Digest) answer
//
// An encodedLayer has the same layout in memory as a layer.
TEXT ·containsInAVX512(SB), NOSPLIT, $0-17
	JMP ·containsAVX512(SB)
