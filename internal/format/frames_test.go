package format

import (
	"bytes"
	"context"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/perfect"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/sizing"
)

type structure interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// receivers returns a receiver for each kind. A delta needs a Bloom filter
// instead.
func receivers(fam hashfam.Family) []structure {
	return []structure{
		1: bloom.NewReceiver(fam), 2: counting.NewReceiver(fam), 3: cuckoo.NewReceiver(fam), 4: countmin.NewReceiver(fam),
		5: countmin.NewHeavyReceiver(fam), 6: countmin.NewHeavyReceiver(fam), 7: static.NewReceiver(fam),
		9: perfect.NewReceiver(fam), 10: perfect.NewFilterReceiver(fam), 11: bloom.NewScalableReceiver(fam),
		12: cuckoo.NewScalableReceiver(fam), 13: bloom.NewRotatingReceiver(fam), 14: countmin.NewWindowReceiver(fam),
	}
}

const (
	delta     = 15
	inJournal = 16
	limits    = "limits*.txt"
)

// decoded decodes a frame, which must use the public family or the secret
// family of the golden files. For a delta it returns base after the change.
func decoded(t *testing.T, frame []byte, base *bloom.Filter) any {
	fam := hashfam.Family{}
	if binary.LittleEndian.Uint64(frame[8:]) != fam.CheckValue() {
		fam = hashfam.New(hashfam.Key{1, 2, 3})
	}
	if frame[4] == delta {
		require.NotNil(t, base)
		require.NoError(t, base.ApplyDelta(frame))
		return base
	}
	s := receivers(fam)[frame[4]]
	require.NoError(t, s.UnmarshalBinary(frame))
	require.Equal(t, frame, must(s.MarshalBinary()), "encoded again")
	return s
}

// queries returns the keys that are used in docs/vectors.md. Half of them are
// also used in golden files.
func queries() (keys []string) {
	for i := range 32 {
		keys = append(keys, fmt.Sprint("key ", 3*i))
	}
	for i := range 32 {
		keys = append(keys, fmt.Sprint("other ", i))
	}
	return keys
}

// answered returns the results for s in the same form as docs/vectors.md: a
// bitmap, or a checksum. If s forgets as time passes, the results one part
// later follow.
func answered(s any, frame []byte) string {
	all := answersTo(s, queries())
	if at, ok := partLater(frame); ok {
		s.(interface{ Advance(time.Time) }).Advance(at)
		all += " " + answersTo(s, queries())
	}
	return all
}

func answersTo(s any, keys []string) string {
	b := answersIn(s, keys)
	if len(b) == 8 {
		return fmt.Sprintf("%016x", binary.LittleEndian.Uint64(b))
	}
	return crcOf(b)
}

// answersIn returns a bitmap, or the numbers in the results.
func answersIn(s any, keys []string) (b []byte) {
	put := func(numbers ...uint64) {
		for _, n := range numbers {
			b = binary.LittleEndian.AppendUint64(b, n)
		}
	}
	for _, key := range keys {
		switch s := s.(type) {
		case tracked:
			e := s.EstimateString(key)
			put(e.Low, e.High)
		case interface{ CountString(string) uint64 }:
			put(s.CountString(key))
		case *perfect.Function:
			put(s.IndexString(key))
		case *perfect.Filter:
			value, found := s.ValueString(key)
			put(value, conformance.One(found))
		}
	}
	if list, ok := s.(tracked); ok {
		for key, e := range list.All() {
			b = append(b, key...)
			put(e.Low, e.High)
		}
	}
	if b == nil {
		b = bitmap(s.(set), keys)
	}
	return b
}

type set interface{ ContainsString(string) bool }

// bitmap has a bit for each key, which is set if s contains the key.
func bitmap(s set, keys []string) []byte {
	b := make([]byte, (len(keys)+7)/8)
	for i, key := range keys {
		b[i/8] |= byte(conformance.One(s.ContainsString(key))) << (i % 8)
	}
	return b
}

func crcOf(b []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

// partLater returns the start of the part after the newest one in a frame of
// kind 13 or 14, or false if there is none.
func partLater(frame []byte) (time.Time, bool) {
	word := func(at int) uint64 { return binary.LittleEndian.Uint64(frame[24+at:]) }
	var span, parts, part int64
	switch {
	case frame[4] == 13 && word(40) != 1<<63:
		span, parts, part = int64(word(16)), int64(frame[24+34]), int64(word(40))
	case frame[4] == 14 && word(48) == 1:
		span, parts, part = int64(word(24)), int64(word(32)), int64(word(56))
	}
	if span == 0 {
		return time.Time{}, false
	}
	span = (span-1)/parts + 1
	return time.Unix(0, (part+1)*span), part < math.MaxInt64/span && part+1 >= math.MinInt64/span
}

// bases contains the filters before the golden deltas are applied. Their keys
// are "key 0", "key 1", ...
var bases = map[string]struct {
	params bloom.Params
	keys   int
}{
	"bloom/testdata/delta.bin":         {bloom.Params{Bits: 10_000, Hashes: 7}, 100},
	"bloom/testdata/delta-blocked.bin": {bloom.Params{Bits: 1024, Hashes: 4, Layout: bloom.Blocked, Family: hashfam.New(hashfam.Key{1, 2, 3})}, 10},
	"bloom/testdata/delta-empty.bin":   {bloom.Params{Bits: 64, Hashes: 1}, 1},
	"bloom/testdata/delta-flip.bin":    {bloom.Params{Bits: 1001, Hashes: 7, Layout: bloom.Partitioned}, 300},
}

// larger returns the larger test vectors. keys contains the integers 0, 1, 2,
// ... in 8 bytes each, and d contains their digests.
func larger(ctx context.Context, keys []string, d []hashfam.Digest) []structure {
	set := must(static.New(ctx, static.Config{FPRate: 0.015}, d[:100_500]))
	exact := must(static.NewExact(ctx, static.Config{FPRate: 1}, d[:5_000], d[5_000:100_000]))
	function := must(perfect.New(ctx, perfect.Config{}, d[:30_000]))
	small := make([]uint64, 20_000)
	for i := range small {
		small[i] = uint64(i % 32)
	}
	c := perfect.FilterConfig{FPRate: 0.01, ValueBits: 5, Compact: true}
	values := must(perfect.NewFilter(ctx, c, d[:20_000], small))
	grown := must(bloom.NewScalable(bloom.ScalableConfig{Expected: 100, FPRate: 0.1, MemoryBytes: 12_000}))
	pages := must(cuckoo.NewScalable(cuckoo.ScalableConfig{Expected: 2_100, FPRate: 0.5, MemoryBytes: 200_000}))
	heavy := must(countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 0.002, MemoryBytes: 4_096}))
	window := must(countmin.NewWindow(countmin.WindowConfig{Phi: 0.005, Keys: 30_000, Parts: 3, MemoryBytes: 8_192}))
	for i, digest := range d {
		pages.AddDigest(digest) // until its memory is full
		heavy.AddString(keys[i*(i%7)%4_999])
		window.AddString(keys[i*(i%9)%(4_999+i/5_000)])
		if i < 20_000 {
			grown.AddDigest(digest)
		}
	}
	return []structure{set, exact, function, values, grown, pages, heavy, window}
}

// large adds the larger vectors, and their results for 0, 5, 10, ..., 199,995.
func (v *vectors) large() {
	var keys []string
	var digests []hashfam.Digest
	for i := range uint64(200_000) {
		keys = append(keys, string(binary.LittleEndian.AppendUint64(nil, i)))
		if i < 110_000 {
			digests = append(digests, hashfam.Family{}.SumUint64(i))
		}
	}
	v.text.WriteString("\n")
	list := larger(v.t.Context(), keys, digests)
	for i := range 40_000 {
		keys[i] = keys[5*i]
	}
	for _, s := range list {
		b := must(s.MarshalBinary())
		v.line("larger", b[4], len(b), crcOf(b[:len(b)-8]), answersTo(s, keys[:40_000]))
	}
}

// Each frame must be decoded, encoded to the same bytes, and return the same
// results. For the largest frames only the header is stored. It is valid if the
// only error is that the stream is too short.
func TestFramesAtTheLimitsAreAccepted(t *testing.T) {
	frames := 0
	for _, path := range files(t, limits) {
		var base *bloom.Filter
		for _, entry := range strings.Split(strings.TrimSpace(read(t, path)), "\n\n") {
			name, rest, _ := strings.Cut(entry, "\n")
			digits, answers, whole := strings.Cut(rest, "\n  answers ")
			frame := unshown(digits)
			frames++
			t.Run(name, func(t *testing.T) {
				if whole {
					s := decoded(t, frame, base)
					base, _ = s.(*bloom.Filter)
					require.Equal(t, answers, answered(s, frame))
				} else if sizing.Addresses > 1<<48 { // smaller platforms refuse such frames
					_, err := receivers(hashfam.Family{})[frame[4]].(io.ReaderFrom).ReadFrom(io.MultiReader(bytes.NewReader(frame)))
					require.ErrorIs(t, err, io.ErrUnexpectedEOF)
				}
			})
		}
	}
	require.Greater(t, frames, 60)
}

func unshown(text string) []byte {
	digits := zeros.ReplaceAllStringFunc(text, func(run string) string { return strings.Repeat("00", must(strconv.Atoi(run[3:]))) })
	return must(hex.DecodeString(strings.Join(strings.Fields(digits), "")))
}
