package pages

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/stretchr/testify/require"
)

// sets returns Sets that store buckets in each way.
func sets() []*Set {
	return []*Set{small(0.9, false), small(1e-6, false), small(0.9, true), small(1e-6, true)}
}

// decodeAgain decodes the payload of s.
func decodeAgain(s *Set) error {
	_, err := Parse(s.Shape, 1, encodeOf(s))
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

func TestPlotsHaveUpTo48Directories(t *testing.T) {
	s := sets()[0]
	for s.plots[0].length() < 48 {
		require.NoError(t, decodeAgain(s))
		s.plots[0].older = &directory{pages: s.firstPage().pages, distinct: 1, older: s.plots[0].older}
	}
	require.NoError(t, decodeAgain(s))
	s.plots[0].older = &directory{pages: s.firstPage().pages, distinct: 1, older: s.plots[0].older}
	requireField(t, decodeAgain(s), "number of directories")
}

// The directory has one page of depth 1, one of depth 2, and so on, and two of
// the last depth. For eleven pages of up to depth 10 it would be too large.
func TestDirectoriesNeedEnoughPages(t *testing.T) {
	for depth := uint8(1); depth <= 10; depth++ {
		s := sets()[0]
		d := directory{depth: depth, distinct: int(depth) + 1}
		for k := uint8(1); k <= depth; k++ {
			d.pages = append(d.pages, slices.Repeat([]*page{s.newPage(k, minTail)}, 1<<(depth-k))...)
		}
		d.pages = append(d.pages, s.newPage(depth, minTail))
		s.plots[0] = d
		if depth < 10 {
			require.NoError(t, decodeAgain(s), "depth %d", depth)
		} else {
			requireField(t, decodeAgain(s), "depth of a directory")
		}
	}
}

// A page that contains half of the keys cannot follow a page with a quarter.
func TestPagesOverlappingOthersAreCorrupt(t *testing.T) {
	machine.Matters(t)
	s := sets()[0]
	quarter, half := s.newPage(2, minTail), s.newPage(1, minTail)
	s.plots[0] = directory{depth: 2, distinct: 3, pages: []*page{quarter, half, half, quarter}}
	requireField(t, decodeAgain(s), "depth of a page")
}

func TestDepthAndTailOfPagesAreChecked(t *testing.T) {
	for w, wrong := range map[uint64]string{
		0 | 4<<8: "", 48 | 4<<8: "", 0 | 26<<8: "", 48 | 26<<8: "",
		49 | 4<<8: "depth of a page", 0 | 3<<8: "tail of a page", 0 | 27<<8: "tail of a page",
		0 | 4<<8 | 1<<16: "bytes after the tail of a page",
	} {
		valid := wrong == ""
		s := small(0.9, false)
		b := binary.LittleEndian.AppendUint64(nil, w)
		if valid {
			b = append(b, make([]byte, s.pageBytes(uint8(w>>8))-wordBytes)...)
		}
		p, err := s.parsePage(&b)
		require.Empty(t, b)
		if !valid {
			requireField(t, err, wrong)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, w, uint64(p.depth)|uint64(p.tail)<<8)
	}
}

// Each slot in use has a partner and a marker.
func TestFingerprintsWithoutPartnerOrMarkerAreCorrupt(t *testing.T) {
	machine.Matters(t)
	for _, s := range sets() {
		tail := s.tails[0]
		for v, wrong := range map[uint64]string{
			1<<(tail+1) | 1:          "",
			1<<(tail+1) | 1<<tail:    "",
			maxPartner<<(tail+1) | 3: "",
			1 << (tail + 1):          "marker of a fingerprint",
			1<<(tail-1) | 1<<tail:    "partner of a fingerprint",
			1:                        "partner of a fingerprint",
		} {
			s.Reset()
			p := s.plots[0].pages[0]
			p.Exchange(3, 3, 0, v^p.free)
			if wrong == "" {
				require.NoError(t, decodeAgain(s), "tail of %d bits, %x", tail, v)
			} else {
				requireField(t, decodeAgain(s), wrong)
			}
		}
	}
}

func TestUnsortedBucketsAreCorrupt(t *testing.T) {
	machine.Matters(t)
	for _, s := range sets()[2:] {
		binary.LittleEndian.PutUint16(s.plots[0].pages[0].Bytes, 3876)
		requireField(t, decodeAgain(s), "code of bucket 0")
		s.Reset()
		s.plots[0].pages[0].Bytes[1] = 0xf0 // the rest of the first fingerprint follows 12 bits
		requireField(t, decodeAgain(s), "fingerprints of bucket 0")
	}
}

func TestTruncatedPayloadsAreCorrupt(t *testing.T) {
	machine.Matters(t)
	for _, s := range sets() {
		b := encodeOf(s)
		for n := range b {
			_, err := Parse(s.Shape, 1, b[:n:n])
			requireField(t, err, "payload")
		}
		_, err := Parse(s.Shape, 1, append(b, 0))
		requireField(t, err, "bytes after the last page")
	}
}
