//go:build !purego && !appengine

#include "textflag.h"

// func prefetchKeys(first *uintptr, stride uintptr, n int)
TEXT ·prefetchKeys(SB), NOSPLIT, $0-24
	MOVQ first+0(FP), SI
	MOVQ stride+8(FP), DX
	MOVQ n+16(FP), CX

	// R8 is the distance from the first key to the last. If it is below 128 bytes
	// per key, the keys are contiguous and share cache lines.
	LEAQ  -1(CX), R8
	IMULQ DX, R8
	MOVQ  (SI)(R8*1), R8
	MOVQ  (SI), AX
	SUBQ  AX, R8
	MOVQ  CX, BX
	SHLQ  $7, BX
	CMPQ  R8, BX
	JCS   row
	CMPQ  8(SI), $64
	JHI   long

key:
	MOVQ (SI), AX
	ADDQ DX, SI
	PREFETCHT0 (AX)
	DECQ CX
	JNE  key
	RET

long: // keys that span several cache lines
	MOVQ (SI), AX
	MOVQ 8(SI), BX
	ADDQ DX, SI
	PREFETCHT0 (AX)
	PREFETCHT0 64(AX)
	PREFETCHT0 -1(AX)(BX*1)
	DECQ CX
	JNE  long
	RET

row: // the cache lines of the keys, and then of their headers
	PREFETCHT0 (AX)
	ADDQ  $64, AX
	SUBQ  $64, R8
	JCC   row
	IMULQ DX, CX

header:
	PREFETCHT0 (SI)
	ADDQ $64, SI
	SUBQ $64, CX
	JHI  header
	RET
