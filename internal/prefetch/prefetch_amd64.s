//go:build !purego

#include "textflag.h"

// func spread(array []uint64, digests []hashfam.Digest, k int, bytes, step uint64, multiplier hashfam.Probe)
TEXT ·spread(SB), NOSPLIT, $0-80
	MOVQ digests_base+24(FP), SI
	MOVQ digests_len+32(FP), CX
	MOVQ bytes+56(FP), R9
	MOVQ step+64(FP), R10
	MOVQ multiplier+72(FP), R11
	LEAQ (SI)(CX*8), SI
	NEGQ CX
	JEQ  done

digest:
	MOVQ (SI)(CX*8), BX
	MOVQ array_base+0(FP), R8
	MOVQ k+48(FP), DI

position:
	IMULQ      R11, BX
	MOVQ       BX, AX
	MULQ       R9 // DX is the offset
	PREFETCHT0 (R8)(DX*1)
	ADDQ       R10, R8
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
	MULQ       R9 // DX is the number of the block
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
