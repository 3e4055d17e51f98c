//go:build !purego && !appengine

#include "textflag.h"

// Sections and figures refer to Aumasson and Bernstein, "SipHash: a fast
// short-input PRF", INDOCRYPT 2012.
//
// Registers: Z0 to Z3 contain the states v0 to v3 of keys 0 to 7, and Z4 to Z7 the
// states of keys 8 to 15. The two groups of eight are independent, so the CPU can
// overlap their instructions. K1 and K2 select the keys in each group that take
// part in a round. Selecting keys does not increase the time.

// HALF is half a SipRound for the selected keys of a group (figure 2.1). A SipRound
// consists of two halves, with v0 and v2 exchanged.
#define HALF(v0, v1, v2, v3, r1, r3, k) \
	VPADDQ v1, v0, k, v0; \
	VPADDQ v3, v2, k, v2; \
	VPROLQ r1, v1, k, v1; \
	VPROLQ r3, v3, k, v3; \
	VPXORQ v0, v1, k, v1; \
	VPXORQ v2, v3, k, v3; \
	VPROLQ $32, v0, k, v0

#define SIPROUND(v0, v1, v2, v3, k) \
	HALF(v0, v1, v2, v3, $13, $16, k); \
	HALF(v2, v1, v0, v3, $17, $21, k)

// ROUND is one SipRound for all selected keys.
#define ROUND \
	SIPROUND(Z0, Z1, Z2, Z3, K1); \
	SIPROUND(Z4, Z5, Z6, Z7, K2)

// COMPRESS processes one word of each selected key (section 2.2).
#define COMPRESS(a, b) \
	VPXORQ a, Z3, K1, Z3; \
	VPXORQ b, Z7, K2, Z7; \
	ROUND;                \
	ROUND;                \
	VPXORQ a, Z0, K1, Z0; \
	VPXORQ b, Z4, K2, Z4

// LASTROUND sets v0 to v0^v1^v2^v3 after one more SipRound. The last sum, v0+v3,
// is in both v0 and v3 and cancels out.
#define LASTROUND(v0, v1, v2, v3) \
	VPADDQ     v1, v0, v0;  \
	VPADDQ     v3, v2, v2;  \
	VPROLQ     $13, v1, v1; \
	VPROLQ     $16, v3, v3; \
	VPXORQ     v0, v1, v1;  \
	VPXORQ     v2, v3, v3;  \
	VPADDQ     v1, v2, v2;  \
	VPROLQ     $17, v1, v1; \
	VPROLQ     $21, v3, v3; \
	VPROLQ     $32, v2, v0; \
	VPXORQ     v1, v0, v0;  \
	VPTERNLOGQ $0x96, v2, v3, v0

// SELECTALL selects all keys.
#define SELECTALL \
	KXNORB K1, K1, K1; \
	KXNORB K2, K2, K2

// FINALIZE stores the digests of the keys in K5 and K6 at DI (section 2.3).
#define FINALIZE \
	SELECTALL;                              \
	VPXORQ.BCST finalization<>(SB), Z2, Z2; \
	VPXORQ.BCST finalization<>(SB), Z6, Z6; \
	ROUND;                                  \
	ROUND;                                  \
	ROUND;                                  \
	LASTROUND(Z0, Z1, Z2, Z3);              \
	LASTROUND(Z4, Z5, Z6, Z7);              \
	VMOVDQU64   Z0, K5, 0(DI);              \
	VMOVDQU64   Z4, K6, 64(DI)

// Signed comparisons: less, greater or equal, and greater.
#define LT $1
#define GE $5
#define GT $6

#define CONSTANT(name, value) \
	DATA  name<>+0(SB)/8, value; \
	GLOBL name<>(SB), RODATA|NOPTR, $8

CONSTANT(finalization, $0xFF)
CONSTANT(lastOfUint64, $0x0800000000000000)
CONSTANT(one, $1)
CONSTANT(eight, $8)
CONSTANT(sixteen, $16)

#define WORDS(name, a, b, c, d, e, f, g, h) \
	DATA  name<>+0(SB)/8, a;  \
	DATA  name<>+8(SB)/8, b;  \
	DATA  name<>+16(SB)/8, c; \
	DATA  name<>+24(SB)/8, d; \
	DATA  name<>+32(SB)/8, e; \
	DATA  name<>+40(SB)/8, f; \
	DATA  name<>+48(SB)/8, g; \
	DATA  name<>+56(SB)/8, h; \
	GLOBL name<>(SB), RODATA|NOPTR, $64

// The headers of eight slices have 24 words: words 0, 3, 6, ... are addresses and
// words 1, 4, 7, ... are lengths. These indexes select words from the first two
// registers, and then from the result and the third register.
WORDS(address1, $0, $3, $6, $9, $12, $15, $0, $0)
WORDS(address2, $0, $1, $2, $3, $4, $5, $10, $13)
WORDS(length1, $1, $4, $7, $10, $13, $0, $0, $0)
WORDS(length2, $0, $1, $2, $3, $4, $8, $11, $14)

// The headers of eight strings have 16 words, alternating address and length.
WORDS(addresses, $0, $2, $4, $6, $8, $10, $12, $14)
WORDS(lengths, $1, $3, $5, $7, $9, $11, $13, $15)

// HEADERS sets z to the next eight words at offset h of the headers. R8 has a bit
// for each word that exists.
#define HEADERS(h, z) \
	KMOVB       R8, K3; \
	SHRQ        $8, R8; \
	VMOVDQU64.Z h(SI), K3, z

// SLICES sets address and length to the addresses and lengths of eight slices.
#define SLICES(h, address, length) \
	HEADERS(h, address);           \
	HEADERS(h+64, Z17);            \
	HEADERS(h+128, Z18);           \
	VMOVDQA64 address, length;     \
	VMOVDQU64 address1<>(SB), Z19; \
	VPERMT2Q  Z17, Z19, address;   \
	VMOVDQU64 address2<>(SB), Z19; \
	VPERMT2Q  Z18, Z19, address;   \
	VMOVDQU64 length1<>(SB), Z19;  \
	VPERMT2Q  Z17, Z19, length;    \
	VMOVDQU64 length2<>(SB), Z19;  \
	VPERMT2Q  Z18, Z19, length

// STRINGS is like SLICES for eight strings.
#define STRINGS(h, address, length) \
	HEADERS(h, address);            \
	HEADERS(h+64, Z17);             \
	VMOVDQA64 address, length;      \
	VMOVDQU64 addresses<>(SB), Z19; \
	VPERMT2Q  Z17, Z19, address;    \
	VMOVDQU64 lengths<>(SB), Z19;   \
	VPERMT2Q  Z17, Z19, length

// INSERT2 sets the 16 bytes of lane i of Z16 and Z17.
#define INSERT2(i, even, odd) \
	VINSERTI64X2 i, even, Z16, Z16; \
	VINSERTI64X2 i, odd, Z17, Z17

// UNPACK sets w0 and w1 to the first and second words of eight keys. Z16 contains
// both words of the even-numbered keys, and Z17 of the odd-numbered keys.
#define UNPACK(w0, w1) \
	VPUNPCKLQDQ Z17, Z16, w0; \
	VPUNPCKHQDQ Z17, Z16, w1

// LOAD sets w0 and w1 to the words at offsets CX and CX+8 of eight keys, whose
// addresses are at s+64(SP).
#define LOAD(s, w0, w1) \
	MOVQ      s+64(SP), R8;              \
	MOVQ      s+72(SP), R9;              \
	VMOVDQU64 (R8)(CX*1), X16;           \
	VMOVDQU64 (R9)(CX*1), X17;           \
	MOVQ      s+80(SP), R8;              \
	MOVQ      s+88(SP), R9;              \
	INSERT2($1, (R8)(CX*1), (R9)(CX*1)); \
	MOVQ      s+96(SP), R8;              \
	MOVQ      s+104(SP), R9;             \
	INSERT2($2, (R8)(CX*1), (R9)(CX*1)); \
	MOVQ      s+112(SP), R8;             \
	MOVQ      s+120(SP), R9;             \
	INSERT2($3, (R8)(CX*1), (R9)(CX*1)); \
	UNPACK(w0, w1)

// PLAN stores which of its next 16 bytes each of eight keys has at s(SP), with one
// bit per byte in the lowest 16 bits of each word, and their addresses at s+64(SP).
// For a key that has ended, the address points to the zeros, because a masked load
// from an inaccessible page is slow even if it loads nothing.
#define PLAN(s, left, address) \
	VPMAXSQ   Z31, left, Z16;        \
	VPSLLVQ   Z16, Z30, Z16;         \
	VPSUBQ    Z30, Z16, Z16;         \
	VMOVDQU64 Z16, s(SP);            \
	VPCMPQ    GT, Z31, left, K3;     \
	VPBLENDMQ address, Z29, K3, Z16; \
	VMOVDQU64 Z16, s+64(SP)

// LOADPART loads the bytes of a key that PLAN stored at s(SP), followed by zeros.
#define LOADPART(s, x) \
	MOVQ       s+64(SP), R8; \
	KMOVW      s(SP), K3;    \
	VMOVDQU8.Z (R8), K3, x

// LOADPARTS is like LOAD, but loads only the bytes that PLAN stored at s(SP). It
// reads no bytes outside the keys.
#define LOADPARTS(s, w0, w1) \
	LOADPART(s, X16);      \
	LOADPART(s+8, X17);    \
	LOADPART(s+16, X18);   \
	LOADPART(s+24, X19);   \
	INSERT2($1, X18, X19); \
	LOADPART(s+32, X18);   \
	LOADPART(s+40, X19);   \
	INSERT2($2, X18, X19); \
	LOADPART(s+48, X18);   \
	LOADPART(s+56, X19);   \
	INSERT2($3, X18, X19); \
	UNPACK(w0, w1)

// APPENDLENGTH completes the word w of each key for which it is the last word. Its
// effect on keys that have ended does not matter.
#define APPENDLENGTH(left, length, w, k) \
	VPCMPQ LT, Z27, left, k; \
	VPORQ  length, w, k, w

// SELECT selects the keys that have a word left.
#define SELECT \
	VPCMPQ GE, Z31, Z8, K1; \
	VPCMPQ GE, Z31, Z9, K2

// func sumGroupAVX512(dst []Digest, first *uintptr, stride uintptr, start *state) (rest uint32)
//
// Z8 and Z9 contain the number of remaining bytes of each key at offset CX. From 7
// to 0, the next word is the last word. Below 0, the key has ended. Z10 and Z11
// contain the lengths modulo 256 in the highest byte, as the last words require.
// Z20 and Z21 contain addresses. BX has a bit for each key.
TEXT ·sumGroupAVX512(SB), NOSPLIT, $256-52
	MOVQ         dst_base+0(FP), DI
	MOVQ         dst_len+8(FP), CX
	MOVQ         first+24(FP), SI
	MOVQ         stride+32(FP), DX
	MOVQ         start+40(FP), AX
	VPBROADCASTQ 0(AX), Z0
	VPBROADCASTQ 8(AX), Z1
	VPBROADCASTQ 16(AX), Z2
	VPBROADCASTQ 24(AX), Z3
	VMOVDQA64    Z0, Z4
	VMOVDQA64    Z1, Z5
	VMOVDQA64    Z2, Z6
	VMOVDQA64    Z3, Z7
	VPXORQ       Z31, Z31, Z31
	VPBROADCASTQ one<>(SB), Z30
	VPBROADCASTQ sixteen<>(SB), Z28
	VPBROADCASTQ eight<>(SB), Z27
	SELECTALL
	MOVQ         $-1, AX
	BZHIQ        CX, AX, BX
	KMOVW        BX, K5
	KSHIFTRW     $8, K5, K6
	CMPQ         DX, $16
	JEQ          strings
	LEAQ         (CX)(CX*2), CX
	BZHIQ        CX, AX, R8
	SLICES(0, Z20, Z8)
	SLICES(192, Z21, Z9)
	JMP          fill

strings:
	ADDQ  CX, CX
	BZHIQ CX, AX, R8
	STRINGS(0, Z20, Z8)
	STRINGS(128, Z21, Z9)

	// Lanes without a key repeat the first key.
fill:
	KNOTB        K5, K3
	KNOTW        K6, K4
	VPBROADCASTQ X20, K3, Z20
	VPBROADCASTQ X8, K3, Z8
	VPBROADCASTQ X20, K4, Z21
	VPBROADCASTQ X8, K4, Z9
	VMOVDQU64    Z20, 64(SP)
	VMOVDQU64    Z21, 192(SP)
	VPSLLQ       $56, Z8, Z10
	VPSLLQ       $56, Z9, Z11
	XORL         CX, CX

	// While all keys have 16 bytes left.
whole:
	VPCMPQ   GE, Z28, Z8, K3
	VPCMPQ   GE, Z28, Z9, K4
	KUNPCKBW K3, K4, K3
	KORTESTW K3, K3
	JCC      some
	LOAD(0, Z12, Z13)
	LOAD(128, Z14, Z15)
	COMPRESS(Z12, Z14)
	COMPRESS(Z13, Z15)
	ADDQ     $16, CX
	VPSUBQ   Z28, Z8, Z8
	VPSUBQ   Z28, Z9, Z9
	JMP      whole

some:
	VMOVDQA64    Z10, Z12
	VMOVDQA64    Z11, Z14
	VPORQ        Z8, Z9, Z16
	VPTESTMQ     Z16, Z16, K3
	KORTESTB     K3, K3
	JEQ          even
	VPBROADCASTQ CX, Z16
	VPADDQ       Z16, Z20, Z20
	VPADDQ       Z16, Z21, Z21
	LEAQ         zeros<>(SB), AX
	VPBROADCASTQ AX, Z29

part:
	PLAN(0, Z8, Z20)
	PLAN(128, Z9, Z21)
	LOADPARTS(0, Z12, Z13)
	LOADPARTS(128, Z14, Z15)
	APPENDLENGTH(Z8, Z10, Z12, K3)
	APPENDLENGTH(Z9, Z11, Z14, K3)

even:
	COMPRESS(Z12, Z14)
	VPSUBQ   Z27, Z8, Z8
	VPSUBQ   Z27, Z9, Z9
	SELECT
	KORTESTB K1, K2
	JEQ      done
	APPENDLENGTH(Z8, Z10, Z13, K3)
	APPENDLENGTH(Z9, Z11, Z15, K3)
	COMPRESS(Z13, Z15)
	VPSUBQ   Z27, Z8, Z8
	VPSUBQ   Z27, Z9, Z9
	SELECT
	KUNPCKBW K1, K2, K3
	KMOVW    K3, AX
	ANDL     BX, AX
	JEQ      finalize
	VPADDQ   Z28, Z20, Z20
	VPADDQ   Z28, Z21, Z21
	ADDQ     $16, CX

	// A step needs as long as hashing 4 to 5 keys individually. If n <= 4 keys have
	// not ended, and any of these has more than n*n*(8+CX/4) bytes left, it is faster
	// to let the caller hash these n keys from the start.
	POPCNTL      AX, DX
	CMPL         DX, $4
	JHI          part
	IMULL        DX, DX
	LEAQ         32(CX), R8
	IMULQ        DX, R8
	SHRQ         $2, R8
	VPBROADCASTQ R8, Z16
	VPCMPQ       GT, Z16, Z8, K3
	VPCMPQ       GT, Z16, Z9, K4
	KORTESTB     K3, K4
	JEQ          part
	JMP          finalize

done:
	XORL AX, AX

finalize:
	FINALIZE
	MOVL AX, rest+48(FP)
	VZEROUPPER
	RET

DATA zeros<>+0(SB)/8, $0
DATA zeros<>+8(SB)/8, $0
GLOBL zeros<>(SB), RODATA|NOPTR, $16

// FIRSTROUND is the first SipRound for eight words w. Its lower half is part of
// the initial state; see Family.uint64State.
#define FIRSTROUND(w, v0, v1, v2, v3) \
	VPXORQ w, Z20, v3;  \
	VPADDQ v3, Z19, v2; \
	VPROLQ $16, v3, v3; \
	VPXORQ v2, v3, v3;  \
	VPADDQ Z17, v2, v2; \
	VPADDQ v3, Z16, v0; \
	VPXORQ v2, Z18, v1; \
	VPROLQ $21, v3, v3; \
	VPXORQ v0, v3, v3;  \
	VPROLQ $32, v2, v2

// func sumUint64sAVX512(dst []Digest, keys *uint64, start *uint64State)
TEXT ·sumUint64sAVX512(SB), NOSPLIT, $0-40
	MOVQ         dst_base+0(FP), DI
	MOVQ         dst_len+8(FP), CX
	MOVQ         keys+24(FP), SI
	MOVQ         start+32(FP), AX
	VPBROADCASTQ 0(AX), Z16
	VPBROADCASTQ 8(AX), Z17
	VPBROADCASTQ 16(AX), Z18
	VPBROADCASTQ 24(AX), Z19
	VPBROADCASTQ 32(AX), Z20
	VPBROADCASTQ lastOfUint64<>(SB), Z10
	SELECTALL
	MOVQ         $-1, AX

	// BZHI counts modulo 256, but with 16 or more keys, the group is complete.
group:
	MOVL        $16, BX
	CMPQ        CX, BX
	CMOVQCS     CX, BX
	BZHIQ       BX, AX, BX
	KMOVW       BX, K5
	KSHIFTRW    $8, K5, K6
	VMOVDQU64.Z (SI), K5, Z8
	VMOVDQU64.Z 64(SI), K6, Z9
	FIRSTROUND(Z8, Z0, Z1, Z2, Z3)
	FIRSTROUND(Z9, Z4, Z5, Z6, Z7)
	ROUND
	VPXORQ      Z8, Z0, Z0
	VPXORQ      Z9, Z4, Z4
	COMPRESS(Z10, Z10)
	FINALIZE
	ADDQ        $128, SI
	ADDQ        $128, DI
	SUBQ        $16, CX
	JA          group
	VZEROUPPER
	RET
