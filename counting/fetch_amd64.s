//go:build !purego

#include "textflag.h"

// func prefetchBlocks(counters nibbles, digests []hashfam.Digest, blocks uint64, multiplier hashfam.Probe)
TEXT ·prefetchBlocks(SB), NOSPLIT, $0-64
	MOVQ  counters_base+0(FP), R8
	MOVQ  digests_base+24(FP), SI
	MOVQ  digests_len+32(FP), CX
	MOVQ  blocks+48(FP), R9
	MOVQ  multiplier+56(FP), R10
	LEAQ  (SI)(CX*8), SI
	NEGQ  CX
	JEQ   done

next:
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
	JNE        next

done:
	RET
