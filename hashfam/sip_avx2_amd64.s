//go:build !purego && !appengine

#include "textflag.h"

// Sections and figures refer to Aumasson and Bernstein, "SipHash: a fast
// short-input PRF", INDOCRYPT 2012.
//
// Registers: Y0 to Y3 contain the states v0 to v3 of keys 0 to 3, and Y4 to Y7
// the states of keys 4 to 7. Y10 and Y11 contain the next words, or the lengths.
// Y12 and Y13 contain the last words. Y8, Y9 and Y14 are temporary. SI points to
// the slice headers, which have 24 bytes and the length at offset 8. CX is an
// offset into the keys. R13 points to zeros.

// Left rotations of 64-bit lanes. Rotating by 32 swaps the halves, and rotating
// by 16 moves whole bytes. The other rotations need two shifts.
#define ROTATE32(v) VPSHUFD $0xB1, v, v
#define ROTATE16(v) VPSHUFB Y15, v, v
#define ROTATE(n, v, t) \
	VPSLLQ $n, v, t;      \
	VPSRLQ $(64-n), v, v; \
	VPOR   t, v, v

// SIPROUND is one SipRound of four keys (figure 2.1).
#define SIPROUND(v0, v1, v2, v3, t) \
	VPADDQ v1, v0, v0; \
	VPADDQ v3, v2, v2; \
	ROTATE(13, v1, t); \
	ROTATE16(v3);      \
	VPXOR  v0, v1, v1; \
	VPXOR  v2, v3, v3; \
	ROTATE32(v0);      \
	VPADDQ v1, v2, v2; \
	VPADDQ v3, v0, v0; \
	ROTATE(17, v1, t); \
	ROTATE(21, v3, t); \
	VPXOR  v2, v1, v1; \
	VPXOR  v0, v3, v3; \
	ROTATE32(v2)

// ROUND is one SipRound of all eight keys. The two groups of four are independent,
// so the CPU can overlap their instructions.
#define ROUND \
	SIPROUND(Y0, Y1, Y2, Y3, Y8); \
	SIPROUND(Y4, Y5, Y6, Y7, Y9)

// COMPRESS processes one word of each key (section 2.2).
#define COMPRESS(a, b) \
	VPXOR a, Y3, Y3; \
	VPXOR b, Y7, Y7; \
	ROUND;           \
	ROUND;           \
	VPXOR a, Y0, Y0; \
	VPXOR b, Y4, Y4

// LASTROUND sets v0 to v0^v1^v2^v3 after one more SipRound. The last sum, v0+v3,
// is in both v0 and v3 and cancels out.
#define LASTROUND(v0, v1, v2, v3, t) \
	VPADDQ  v1, v0, v0;    \
	VPADDQ  v3, v2, v2;    \
	ROTATE(13, v1, t);     \
	ROTATE16(v3);          \
	VPXOR   v0, v1, v1;    \
	VPXOR   v2, v3, v3;    \
	VPADDQ  v1, v2, v2;    \
	ROTATE(17, v1, t);     \
	ROTATE(21, v3, t);     \
	VPSHUFD $0xB1, v2, v0; \
	VPXOR   v1, v2, v2;    \
	VPXOR   v3, v0, v0;    \
	VPXOR   v2, v0, v0

// FINALIZE sets Y0 and Y4 to the digests of all eight keys (section 2.3).
#define FINALIZE \
	VPXOR   finalization<>(SB), Y2, Y2; \
	VPXOR   finalization<>(SB), Y6, Y6; \
	ROUND;                              \
	ROUND;                              \
	ROUND;                              \
	LASTROUND(Y0, Y1, Y2, Y3, Y8);      \
	LASTROUND(Y4, Y5, Y6, Y7, Y9)

// GATHER sets y, whose lower half is x, to four words.
#define GATHER(w0, w1, w2, w3, x, y) \
	VMOVQ       w0, x;          \
	VPINSRQ     $1, w1, x, x;   \
	VMOVQ       w2, X8;         \
	VPINSRQ     $1, w3, X8, X8; \
	VINSERTI128 $1, X8, y, y

// LENGTHS sets y to the lengths of four keys, starting at header h.
#define LENGTHS(h, x, y) \
	GATHER(h+8(SI), h+32(SI), h+56(SI), h+80(SI), x, y)

// WORDS sets y to the words at offset CX of four keys, starting at header h.
#define WORDS(h, x, y) \
	MOVQ h(SI), R8;     \
	MOVQ h+24(SI), R9;  \
	MOVQ h+48(SI), R10; \
	MOVQ h+72(SI), R11; \
	GATHER((R8)(CX*1), (R9)(CX*1), (R10)(CX*1), (R11)(CX*1), x, y)

// ADDR sets a to the address of the word at offset CX in the key with header h. If
// the key ends before offset DX = CX+7, it sets a to the address of the zeros.
#define ADDR(h, a) \
	MOVQ    h(SI), a;    \
	ADDQ    CX, a;       \
	CMPQ    h+8(SI), DX; \
	CMOVQLS R13, a

// WORDSORZERO is like WORDS, but uses 0 for keys without a whole word there.
#define WORDSORZERO(h, x, y) \
	ADDR(h, R8);     \
	ADDR(h+24, R9);  \
	ADDR(h+48, R10); \
	ADDR(h+72, R11); \
	GATHER((R8), (R9), (R10), (R11), x, y)

// ENDS adds the last len%8 bytes of four keys, starting at header h, to last. All
// of these keys must have at least eight bytes. It loads the last eight bytes and
// shifts the others out by 64-8*(len%8) bits; a shift by 64 gives 0.
#define ENDS(h, len, last) \
	MOVQ    h(SI), R8;                                \
	MOVQ    h+24(SI), R9;                             \
	MOVQ    h+48(SI), R10;                            \
	MOVQ    h+72(SI), R11;                            \
	ADDQ    h+8(SI), R8;                              \
	ADDQ    h+32(SI), R9;                             \
	ADDQ    h+56(SI), R10;                            \
	ADDQ    h+80(SI), R11;                            \
	GATHER(-8(R8), -8(R9), -8(R10), -8(R11), X9, Y9); \
	VPSLLQ  $61, len, len;                            \
	VPSRLQ  $58, len, len;                            \
	VMOVDQU sixtyFour<>(SB), Y14;                     \
	VPSUBQ  len, Y14, len;                            \
	VPSRLVQ len, Y9, Y9;                              \
	VPOR    Y9, last, last

// END sets w to the last len%8 bytes of the key with header h, which can have any
// length. It combines four bytes, two bytes and one byte. If any of these do not
// exist, they are read from the zeros instead. This way, no byte outside the key
// is read, and there are no branches that the CPU would mispredict when lengths
// vary.
#define END(h, w) \
	MOVQ    h(SI), AX;    \
	MOVQ    h+8(SI), BX;  \
	MOVQ    BX, DX;       \
	ANDQ    $~7, DX;      \
	ADDQ    DX, AX;       \
	MOVQ    R13, R12;     \
	TESTL   $4, BX;       \
	CMOVQNE AX, R12;      \
	MOVL    (R12), w;     \
	MOVL    BX, DX;       \
	ANDL    $4, DX;       \
	ADDQ    DX, AX;       \
	SHLL    $3, DX;       \
	MOVQ    R13, R12;     \
	TESTL   $2, BX;       \
	CMOVQNE AX, R12;      \
	MOVWLZX (R12), R12;   \
	SHLXQ   DX, R12, R12; \
	ORQ     R12, w;       \
	MOVL    BX, DX;       \
	ANDL    $2, DX;       \
	ADDQ    DX, AX;       \
	MOVL    BX, DX;       \
	ANDL    $6, DX;       \
	SHLL    $3, DX;       \
	MOVQ    R13, R12;     \
	TESTL   $1, BX;       \
	CMOVQNE AX, R12;      \
	MOVBLZX (R12), R12;   \
	SHLXQ   DX, R12, R12; \
	ORQ     R12, w

// ENDSANY is like ENDS for keys of any length.
#define ENDSANY(h, last) \
	END(h, R8);                       \
	END(h+24, R9);                    \
	END(h+48, R10);                   \
	END(h+72, R11);                   \
	GATHER(R8, R9, R10, R11, X9, Y9); \
	VPOR Y9, last, last

// FOLD combines the four lanes of y with op, and sets w to the result.
#define FOLD(op, x, y, w) \
	VEXTRACTI128 $1, y, X8;    \
	op           X8, x, x;     \
	VPSHUFD      $0xEE, x, X8; \
	op           X8, x, x;     \
	VMOVQ        x, w

#define CONSTANT(name, value) \
	DATA name<>+0(SB)/8, value;  \
	DATA name<>+8(SB)/8, value;  \
	DATA name<>+16(SB)/8, value; \
	DATA name<>+24(SB)/8, value; \
	GLOBL name<>(SB), RODATA|NOPTR, $32

CONSTANT(zeros, $0)
CONSTANT(eight, $8)
CONSTANT(sixtyFour, $64)
CONSTANT(finalization, $0xFF)
CONSTANT(lastOfUint64, $0x0800000000000000)

DATA rotate16<>+0(SB)/8, $0x0504030201000706
DATA rotate16<>+8(SB)/8, $0x0D0C0B0A09080F0E
DATA rotate16<>+16(SB)/8, $0x0504030201000706
DATA rotate16<>+24(SB)/8, $0x0D0C0B0A09080F0E
GLOBL rotate16<>(SB), RODATA|NOPTR, $32

// COPY copies header i of a string, at SI, to header i of a slice, at AX.
#define COPY(i) \
	MOVQ i*16(SI), R8;   \
	MOVQ i*16+8(SI), R9; \
	MOVQ R8, i*24(AX);   \
	MOVQ R9, i*24+8(AX)

// func sumGroupAVX2(dst []Digest, first *uintptr, stride uintptr, start *state) (rest uint32)
TEXT ·sumGroupAVX2(SB), NOSPLIT, $512-52
	MOVQ         dst_base+0(FP), DI
	MOVQ         first+24(FP), SI
	MOVQ         start+40(FP), AX
	VPBROADCASTQ 0(AX), Y0
	VPBROADCASTQ 8(AX), Y1
	VPBROADCASTQ 16(AX), Y2
	VPBROADCASTQ 24(AX), Y3
	VMOVDQA      Y0, Y4
	VMOVDQA      Y1, Y5
	VMOVDQA      Y2, Y6
	VMOVDQA      Y3, Y7
	VMOVDQU      rotate16<>(SB), Y15
	LEAQ         zeros<>(SB), R13
	XORL         CX, CX
	CMPQ         stride+32(FP), $24
	JEQ          slices

	// Copy the headers of strings to headers of slices.
	LEAQ headers-512(SP), AX
	COPY(0)
	COPY(1)
	COPY(2)
	COPY(3)
	COPY(4)
	COPY(5)
	COPY(6)
	COPY(7)
	MOVQ AX, SI

slices:
	// The highest byte of each last word is the length modulo 256.
	LENGTHS(0, X10, Y10)
	LENGTHS(96, X11, Y11)
	VPSLLQ $56, Y10, Y12
	VPSLLQ $56, Y11, Y13

	// BX is the OR of the lengths, and DX is the AND. If these differ only in
	// the last three bits, all keys have the same number of whole words.
	MOVQ 8(SI), BX
	MOVQ BX, DX
	ORQ  32(SI), BX
	ANDQ 32(SI), DX
	ORQ  56(SI), BX
	ANDQ 56(SI), DX
	ORQ  80(SI), BX
	ANDQ 80(SI), DX
	ORQ  104(SI), BX
	ANDQ 104(SI), DX
	ORQ  128(SI), BX
	ANDQ 128(SI), DX
	ORQ  152(SI), BX
	ANDQ 152(SI), DX
	ORQ  176(SI), BX
	ANDQ 176(SI), DX
	XORQ BX, DX
	CMPQ BX, $8
	JB   short
	CMPQ DX, $8
	JAE  mixed

	TESTQ $7, BX
	JEQ   whole
	ENDS(0, Y10, Y12)
	ENDS(96, Y11, Y13)
	ANDQ  $~7, BX

whole:
	WORDS(0, X10, Y10)
	WORDS(96, X11, Y11)
	COMPRESS(Y10, Y11)
	ADDQ $8, CX
	CMPQ CX, BX
	JB   whole

last:
	COMPRESS(Y12, Y13)

finalize:
	FINALIZE
	VMOVDQU Y0, (DI)
	VMOVDQU Y4, 32(DI)
	MOVL    $0, rest+48(FP)
	VZEROUPPER
	RET

short:
	ENDSANY(0, Y12)
	ENDSANY(96, Y13)
	JMP last

mixed:
	// All lanes need as long as the longest key, about the time for hashing three
	// keys individually. The constant 64 represents the part that does not depend
	// on the lengths. VPMAXUD compares halves of a length. The result is correct
	// below 4 GiB, and not too low above.
	VPADDQ  Y10, Y11, Y9
	FOLD(VPADDQ, X9, Y9, AX)
	VPMAXUD Y10, Y11, Y9
	FOLD(VPMAXUD, X9, Y9, DX)
	ADDQ    $64, AX
	LEAQ    (DX)(DX*2), DX
	CMPQ    AX, DX
	JB      uneven

	ENDSANY(0, Y12)
	ENDSANY(96, Y13)

	// Y10 and Y11 contain the remaining lengths at CX. If a length is at least 8,
	// the next word is a whole word. From 7 to 0, it is the key's last word. Below
	// 0, which the blends detect by the sign, the key has ended.
masked:
	VMOVDQU   Y10, left0-320(SP)
	VMOVDQU   Y11, left1-288(SP)
	VMOVDQU   Y0, y0-256(SP)
	VMOVDQU   Y1, y1-224(SP)
	VMOVDQU   Y2, y2-192(SP)
	VMOVDQU   Y3, y3-160(SP)
	VMOVDQU   Y4, y4-128(SP)
	VMOVDQU   Y5, y5-96(SP)
	VMOVDQU   Y6, y6-64(SP)
	VMOVDQU   Y7, y7-32(SP)
	LEAQ      7(CX), DX
	VPSUBQ    eight<>(SB), Y10, Y14
	WORDSORZERO(0, X10, Y10)
	VBLENDVPD Y14, Y12, Y10, Y10
	VPSUBQ    eight<>(SB), Y11, Y14
	WORDSORZERO(96, X11, Y11)
	VBLENDVPD Y14, Y13, Y11, Y11
	COMPRESS(Y10, Y11)
	VMOVDQU   left0-320(SP), Y10
	VMOVDQU   left1-288(SP), Y11
	VBLENDVPD Y10, y0-256(SP), Y0, Y0
	VBLENDVPD Y10, y1-224(SP), Y1, Y1
	VBLENDVPD Y10, y2-192(SP), Y2, Y2
	VBLENDVPD Y10, y3-160(SP), Y3, Y3
	VBLENDVPD Y11, y4-128(SP), Y4, Y4
	VBLENDVPD Y11, y5-96(SP), Y5, Y5
	VBLENDVPD Y11, y6-64(SP), Y6, Y6
	VBLENDVPD Y11, y7-32(SP), Y7, Y7
	VPSUBQ    eight<>(SB), Y10, Y10
	VPSUBQ    eight<>(SB), Y11, Y11
	ADDQ      $8, CX
	VPAND     Y10, Y11, Y14
	VMOVMSKPD Y14, AX
	CMPL      AX, $15
	JNE       masked
	JMP       finalize

uneven:
	MOVL $0xFF, rest+48(FP)
	VZEROUPPER
	RET

// FIRSTROUND is the first SipRound for four words w. Its lower half is part of
// the initial state; see Family.uint64State.
#define FIRSTROUND(w, v0, v1, v2, v3, t) \
	VPXOR  s4-32(SP), w, v3;   \
	VPADDQ s3-64(SP), v3, v2;  \
	ROTATE16(v3);              \
	VPXOR  v2, v3, v3;         \
	VPADDQ s1-128(SP), v2, v2; \
	VPADDQ s0-160(SP), v3, v0; \
	VPXOR  s2-96(SP), v2, v1;  \
	ROTATE(21, v3, t);         \
	VPXOR  v0, v3, v3;         \
	ROTATE32(v2)

// HASH sets Y0 and Y4 to the digests of the numbers in Y10 and Y11.
#define HASH \
	FIRSTROUND(Y10, Y0, Y1, Y2, Y3, Y8); \
	FIRSTROUND(Y11, Y4, Y5, Y6, Y7, Y9); \
	ROUND;                               \
	VPXOR Y10, Y0, Y0;                   \
	VPXOR Y11, Y4, Y4;                   \
	COMPRESS(Y12, Y12);                  \
	FINALIZE

// MASK sets the first BX lanes of y to all ones.
#define MASK(x, y) \
	VMOVQ        BX, x; \
	VPBROADCASTQ x, y;  \
	VPCMPGTQ     ordinals<>(SB), y, y

DATA ordinals<>+0(SB)/8, $0
DATA ordinals<>+8(SB)/8, $1
DATA ordinals<>+16(SB)/8, $2
DATA ordinals<>+24(SB)/8, $3
GLOBL ordinals<>(SB), RODATA|NOPTR, $32

// func sumUint64sAVX2(dst []Digest, keys *uint64, start *uint64State)
TEXT ·sumUint64sAVX2(SB), NOSPLIT, $160-40
	MOVQ         dst_base+0(FP), DI
	MOVQ         dst_len+8(FP), CX
	MOVQ         keys+24(FP), SI
	MOVQ         start+32(FP), AX
	VPBROADCASTQ 0(AX), Y0
	VPBROADCASTQ 8(AX), Y1
	VPBROADCASTQ 16(AX), Y2
	VPBROADCASTQ 24(AX), Y3
	VPBROADCASTQ 32(AX), Y4
	VMOVDQU      Y0, s0-160(SP)
	VMOVDQU      Y1, s1-128(SP)
	VMOVDQU      Y2, s2-96(SP)
	VMOVDQU      Y3, s3-64(SP)
	VMOVDQU      Y4, s4-32(SP)
	VMOVDQU      lastOfUint64<>(SB), Y12
	VMOVDQU      rotate16<>(SB), Y15
	SUBQ         $8, CX
	JCS          part

whole:
	VMOVDQU (SI), Y10
	VMOVDQU 32(SI), Y11
	HASH
	VMOVDQU Y0, (DI)
	VMOVDQU Y4, 32(DI)
	ADDQ    $64, SI
	ADDQ    $64, DI
	SUBQ    $8, CX
	JCC     whole

	// The last group has fewer keys.
part:
	MOVQ       CX, BX
	ADDQ       $8, BX
	JEQ        end
	MASK(X13, Y13)
	SUBQ       $4, BX
	MASK(X14, Y14)
	VPMASKMOVQ (SI), Y13, Y10
	VPMASKMOVQ 32(SI), Y14, Y11
	HASH
	VPMASKMOVQ Y0, Y13, (DI)
	VPMASKMOVQ Y4, Y14, 32(DI)

end:
	VZEROUPPER
	RET
