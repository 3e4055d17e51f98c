package cuckoo

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// scalables are filters whose buckets are stored in each way.
func scalables(t *testing.T) []*Scalable {
	return []*Scalable{
		mustScale(t, ScalableConfig{Expected: 1, FPRate: 0.9}),
		mustScale(t, ScalableConfig{Expected: 1, FPRate: 1e-6}),
		mustScale(t, ScalableConfig{Expected: 1, FPRate: 0.9, Compact: true}),
		mustScale(t, ScalableConfig{Expected: 1, FPRate: 1e-6, Compact: true}),
	}
}

// decodeAgain decodes the encoding of s.
func decodeAgain(t *testing.T, s *Scalable) error {
	return new(Scalable).UnmarshalBinary(encodeOf(t, s))
}

func TestAPlotHasAtMost48Directories(t *testing.T) {
	s := scalables(t)[0]
	for s.plots[0].levels() < 48 {
		require.NoError(t, decodeAgain(t, s))
		s.plots[0].older = append(s.plots[0].older, s.firstPage())
	}
	require.NoError(t, decodeAgain(t, s))
	s.plots[0].older = append(s.plots[0].older, s.firstPage())
	requireField(t, decodeAgain(t, s), ErrCorrupt, "number of directories")
}

// A directory whose pages have the depths 1, 2, 3 and so on, up to two of the
// last. Ten pages of a depth up to 9 have a directory; eleven of a depth up to
// 10 do not, since it would have 64 entries for each power of two of pages.
func TestThePagesOfADirectory(t *testing.T) {
	for depth := uint8(1); depth <= 10; depth++ {
		s := scalables(t)[0]
		d := directory{depth: depth, count: int(depth) + 1}
		for k := uint8(1); k <= depth; k++ {
			d.pages = append(d.pages, slices.Repeat([]*page{s.newPage(k, minTail)}, 1<<(depth-k))...)
		}
		d.pages = append(d.pages, s.newPage(depth, minTail))
		s.plots[0].directory = d
		if depth < 10 {
			require.NoError(t, decodeAgain(t, s), "depth %d", depth)
		} else {
			requireField(t, decodeAgain(t, s), ErrCorrupt, "depth of a directory")
		}
	}
}

func TestTheDepthAndTailOfAPage(t *testing.T) {
	for w, valid := range map[uint64]bool{
		0 | 4<<8: true, 48 | 4<<8: true, 0 | 26<<8: true, 48 | 26<<8: true,
		49 | 4<<8: false, 0 | 3<<8: false, 0 | 27<<8: false, 0 | 4<<8 | 1<<16: false,
	} {
		s := newScalable(ScalableConfig{Expected: 1, FPRate: 0.9})
		b := binary.LittleEndian.AppendUint64(nil, w)
		if valid {
			b = append(b, make([]byte, s.pageBytes(uint8(w>>8))-wordBytes)...)
		}
		p, err := s.parsePage(&b)
		require.Empty(t, b)
		if !valid {
			requireField(t, err, ErrCorrupt, "depth and tail of a page")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, w, uint64(p.depth)|uint64(p.tail)<<8)
	}
}

// Each slot that is taken has a partner, and a marker above or below the bits
// that are known.
func TestFingerprintsWithoutPartnerOrMarkerAreCorrupt(t *testing.T) {
	for _, s := range scalables(t) {
		tail := s.tails[0]
		for v, valid := range map[uint64]bool{
			1<<(tail+1) | 1:        true,
			1<<(tail+1) | 1<<tail:  true,
			partners<<(tail+1) | 3: true,
			1 << (tail + 1):        false, // no marker
			1<<(tail-1) | 1<<tail:  false, // no partner
			1:                      false,
		} {
			s.Reset()
			p := s.plots[0].pages[0]
			p.table.put(3, v^p.free)
			if s.count = 1; valid {
				require.NoError(t, decodeAgain(t, s), "%v, %x", s, v)
			} else {
				requireField(t, decodeAgain(t, s), ErrCorrupt, "fingerprint")
			}
		}
	}
}

// The code after the last one, 3,876, stands for no four nibbles.
func TestPagesOfCompactBucketsAreInOrder(t *testing.T) {
	for _, s := range scalables(t)[2:] {
		s.plots[0].pages[0].table.flip(0, codes)
		requireField(t, decodeAgain(t, s), ErrCorrupt, "bucket")
	}
}

func TestAWordMayBeTheLast(t *testing.T) {
	b := []byte{1, 0, 0, 0, 0, 0, 0, 1}
	w, err := cutWord(&b)
	require.NoError(t, err)
	require.Equal(t, uint64(1<<56|1), w)
	require.Empty(t, b)
	b = make([]byte, 7)
	_, err = cutWord(&b)
	requireField(t, err, ErrCorrupt, "payload")
}

// A header cannot claim less than an empty page of the shortest tails for each
// plot, which a new filter of this rate has.
func TestTheLeastPayload(t *testing.T) {
	s := mustScale(t, ScalableConfig{Expected: 10_000, FPRate: 0.9})
	h, err := s.header()
	require.NoError(t, err)
	_, _, err = parseScalable(h, s.config)
	require.NoError(t, err)
	h.Payload--
	_, _, err = parseScalable(h, s.config)
	requireField(t, err, ErrCorrupt, "payload length")
}
