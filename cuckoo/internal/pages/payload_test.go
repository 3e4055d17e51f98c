package pages

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// sets are Sets whose buckets are stored in each way.
func sets() []*Set {
	return []*Set{
		small(0.9, false),
		small(1e-6, false),
		small(0.9, true),
		small(1e-6, true),
	}
}

// decodeAgain decodes the payload of s.
func decodeAgain(s *Set) error {
	_, err := Parse(s.Geometry, 1, encodeOf(s))
	return err
}

func encodeOf(s *Set) (b []byte) {
	for piece := range s.Payload {
		b = append(b, piece...)
	}
	return b
}

func requireField(t *testing.T, err error, field string) {
	t.Helper()
	require.ErrorIs(t, err, hashfam.ErrCorrupt)
	var fe *hashfam.FieldError
	require.ErrorAs(t, err, &fe)
	require.Equal(t, field, fe.Field, "%v", err)
}

func TestAPlotHasAtMost48Directories(t *testing.T) {
	s := sets()[0]
	for s.plots[0].levels() < 48 {
		require.NoError(t, decodeAgain(s))
		s.plots[0].older = append(s.plots[0].older, s.firstPage())
	}
	require.NoError(t, decodeAgain(s))
	s.plots[0].older = append(s.plots[0].older, s.firstPage())
	requireField(t, decodeAgain(s), "number of directories")
}

// A directory whose pages have the depths 1, 2, 3 and so on, up to two of the
// last. Ten pages of a depth up to 9 have a directory; eleven of a depth up to
// 10 do not, since it would have 64 entries for each power of two of pages.
func TestThePagesOfADirectory(t *testing.T) {
	for depth := uint8(1); depth <= 10; depth++ {
		s := sets()[0]
		d := directory{depth: depth, count: int(depth) + 1}
		for k := uint8(1); k <= depth; k++ {
			d.pages = append(d.pages, slices.Repeat([]*page{s.newPage(k, minTail)}, 1<<(depth-k))...)
		}
		d.pages = append(d.pages, s.newPage(depth, minTail))
		s.plots[0].directory = d
		if depth < 10 {
			require.NoError(t, decodeAgain(s), "depth %d", depth)
		} else {
			requireField(t, decodeAgain(s), "depth of a directory")
		}
	}
}

func TestTheDepthAndTailOfAPage(t *testing.T) {
	for w, valid := range map[uint64]bool{
		0 | 4<<8: true, 48 | 4<<8: true, 0 | 26<<8: true, 48 | 26<<8: true,
		49 | 4<<8: false, 0 | 3<<8: false, 0 | 27<<8: false, 0 | 4<<8 | 1<<16: false,
	} {
		s := small(0.9, false)
		b := binary.LittleEndian.AppendUint64(nil, w)
		if valid {
			b = append(b, make([]byte, s.pageBytes(uint8(w>>8))-wordBytes)...)
		}
		p, err := s.parsePage(&b)
		require.Empty(t, b)
		if !valid {
			requireField(t, err, "depth and tail of a page")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, w, uint64(p.depth)|uint64(p.tail)<<8)
	}
}

// Each slot that is taken has a partner, and a marker above or below the bits
// that are known.
func TestFingerprintsWithoutPartnerOrMarkerAreCorrupt(t *testing.T) {
	for _, s := range sets() {
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
			p.Exchange(3, 3, 0, v^p.free)
			if valid {
				require.NoError(t, decodeAgain(s), "tail of %d bits, %x", tail, v)
			} else {
				requireField(t, decodeAgain(s), "fingerprint")
			}
		}
	}
}

// The code after the last one, 3,876, stands for no four nibbles.
func TestPagesOfCompactBucketsAreInOrder(t *testing.T) {
	for _, s := range sets()[2:] {
		binary.LittleEndian.PutUint16(s.plots[0].pages[0].Bytes(), 3876)
		requireField(t, decodeAgain(s), "bucket")
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
	requireField(t, err, "payload")
}

// The shortest payload has an empty page of the shortest tails for each plot,
// as a new Set of this rate does.
func TestTheLeastPayload(t *testing.T) {
	g := NewGeometry(10_000, 0.9, false)
	require.EqualValues(t, len(encodeOf(New(g, 1))), g.LeastPayload())
}
