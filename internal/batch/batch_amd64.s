//go:build !purego && !race

#include "go_asm.h"
#include "textflag.h"

// func spread(array []uint64, digests []hashfam.Digest, k int, bytes uint64, multiplier hashfam.Probe)
TEXT ·spread(SB), NOSPLIT, $0-72
	MOVQ array_base+0(FP), R8
	MOVQ digests_base+24(FP), SI
	MOVQ digests_len+32(FP), CX
	MOVQ bytes+56(FP), R9
	MOVQ multiplier+64(FP), R10
	LEAQ (SI)(CX*8), SI
	NEGQ CX
	JEQ  done

digest:
	MOVQ (SI)(CX*8), BX
	MOVQ k+48(FP), DI

position:
	IMULQ      R10, BX
	MOVQ       BX, AX
	MULQ       R9 // DX is the offset
	PREFETCHT0 (R8)(DX*1)
	DECQ       DI
	JNE        position
	INCQ       CX
	JNE        digest

done:
	RET

// func blocks256(array []uint64, digests []hashfam.Digest, n uint64, multiplier hashfam.Probe)
TEXT ·blocks256(SB), NOSPLIT, $0-64
	MOVQ array_base+0(FP), R8
	MOVQ digests_base+24(FP), SI
	MOVQ digests_len+32(FP), CX
	MOVQ n+48(FP), R9
	MOVQ multiplier+56(FP), R10
	LEAQ (SI)(CX*8), SI
	NEGQ CX
	JEQ  done

digest:
	MOVQ       (SI)(CX*8), AX
	IMULQ      R10, AX
	MULQ       R9 // DX is the block
	SHLQ       $8, DX
	ADDQ       R8, DX
	PREFETCHT0 (DX)
	PREFETCHT0 64(DX)
	PREFETCHT0 128(DX)
	PREFETCHT0 192(DX)
	INCQ       CX
	JNE        digest

done:
	RET

// func has(a *Array, dst []bool, digests []hashfam.Digest, multiplier hashfam.Probe)
//
// The outer loop is over the k counters, so that the reads of one counter for
// all keys do not wait for each other. When a counter of a key is zero, its
// other counters are not read. The masks of the remaining keys are on the stack,
// one byte for a group of eight.
//
// Registers: R8 points to the words, SI to the digests. DI is the number of
// remaining counters, R9 the number of groups, AX the current group, BX points
// to the masks, R10 is a power of the multiplier. Z0 is the span, Z1 the offset
// that is added to a position, Z2 the step, Z3 a counter's bits, Z4 the power,
// X6 LogBits, X5 6-LogBits.
TEXT ·has(SB), NOSPLIT, $16-64
	MOVQ         a+0(FP), R8
	MOVQ         Array_K(R8), DI
	VPBROADCASTQ Array_Span(R8), Z0
	VPXORQ       Z1, Z1, Z1
	VPBROADCASTQ Array_Step(R8), Z2
	MOVQ         Array_LogBits(R8), AX
	MOVQ         Array_Words(R8), R8
	MOVQ         digests_base+32(FP), SI
	MOVQ         digests_len+40(FP), CX
	MOVQ         multiplier+56(FP), R10
	MOVQ         R10, R11
	LEAQ         masks-16(SP), BX

	VMOVQ        AX, X6
	MOVL         $6, DX
	SUBQ         AX, DX
	VMOVQ        DX, X5
	MOVL         $1, DX
	SHLXQ        AX, DX, AX
	SHLXQ        AX, DX, DX
	DECQ         DX
	VPBROADCASTQ DX, Z3

	// All masks are full except the last one.
	VPTERNLOGQ $0xFF, X7, X7, X7
	VMOVDQU    X7, (BX)
	LEAQ       7(CX), R9
	SHRQ       $3, R9
	JEQ        done
	ANDL       $7, CX
	JEQ        position
	MOVL       $-1, DX
	BZHIL      CX, DX, DX
	MOVB       DX, -1(BX)(R9*1)

position:
	VPBROADCASTQ R10, Z4
	MOVQ         SI, R12
	XORL         AX, AX

group:
	KMOVB       (BX)(AX*1), K1
	VMOVDQU64.Z (R12), K1, Z7
	VPMULLQ     Z4, Z7, Z7
	VPSRLQ      $32, Z7, Z9
	VPMULUDQ    Z0, Z7, Z8
	VPMULUDQ    Z0, Z9, Z9
	VPSRLQ      $32, Z8, Z8
	VPADDQ      Z8, Z9, Z9
	VPSRLQ      $32, Z9, Z9
	VPADDQ      Z1, Z9, Z9        // the position
	VPSRLQ      X5, Z9, Z8        // its word
	VPSLLQ      X6, Z9, Z9        // its bit in the word, modulo 64
	KMOVB       K1, K2
	VPXORQ      Z10, Z10, Z10
	VPGATHERQQ  (R8)(Z8*8), K2, Z10
	VPRORVQ     Z9, Z10, Z10
	VPTESTMQ    Z3, Z10, K1, K1
	KMOVB       K1, (BX)(AX*1)
	ADDQ        $64, R12
	INCQ        AX
	CMPQ        AX, R9
	JLT         group
	VPADDQ      Z2, Z1, Z1
	IMULQ       R11, R10
	DECQ        DI
	JNE         position

	// The results: a byte with the value 1 for each bit in the masks.
	MOVQ         dst_base+8(FP), DI
	MOVQ         digests_len+40(FP), CX
	MOVL         $1, DX
	VPBROADCASTB DX, Z3
	VMOVDQU      (BX), X7
	VMOVQ        X7, AX
	KMOVQ        AX, K1
	VPEXTRQ      $1, X7, DX
	KMOVQ        DX, K2
	VMOVDQU8.Z   Z3, K1, Z8
	VMOVDQU8.Z   Z3, K2, Z9
	MOVQ         $-1, R12
	CMPQ         CX, $64
	JGE          long
	BZHIQ        CX, R12, R12
	KMOVQ        R12, K1
	VMOVDQU8     Z8, K1, (DI)
	JMP          done

long:
	VMOVDQU64 Z8, (DI)
	SUBQ      $64, CX
	BZHIQ     CX, R12, R12
	KMOVQ     R12, K1
	VMOVDQU8  Z9, K1, 64(DI)

done:
	VZEROUPPER
	RET
