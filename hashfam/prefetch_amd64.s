//go:build !purego

#include "textflag.h"

// func prefetchKeys(first *uintptr, stride uintptr, n int)
TEXT ·prefetchKeys(SB), NOSPLIT, $0-24
	MOVQ first+0(FP), SI
	MOVQ stride+8(FP), DX
	MOVQ n+16(FP), CX
	SHRQ $1, CX
	JEQ  done

next: // two keys
	MOVQ (SI), AX
	MOVQ (SI)(DX*1), BX
	LEAQ (SI)(DX*2), SI
	PREFETCHT0 (AX)
	PREFETCHT0 (BX)
	DECQ CX
	JNE  next

done:
	RET
