package format

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/block"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/frame/frametest"
)

const steps = `"Changing a frame" in docs/contributing.md lists the steps`

// Only golden files make sure that later versions of the library read a frame,
// so each version that a decoder reads needs one.
func TestEveryVersionHasAGoldenFile(t *testing.T) {
	versions := map[frame.Kind]map[uint8]bool{}
	frames := map[frame.Kind][]byte{}
	for _, path := range files(t, "*.bin") {
		b := []byte(read(t, path))
		kind := frame.Kind(b[frametest.Kind])
		if versions[kind] == nil {
			versions[kind] = map[uint8]bool{}
		}
		versions[kind][b[frametest.Version]] = true
		frames[kind] = b
	}
	for kind := frame.Kind(1); !strings.HasPrefix(kind.String(), "unknown") || kind == 8; kind++ {
		if kind == 8 {
			continue // not used
		}
		known := kind == delta || kind == inJournal || int(kind) < len(receivers(hashfam.Family{}))
		require.True(t, known, "kind %d, %v, has no receiver in internal/format/frames_test.go", kind, kind)
		require.Contains(t, frames, kind, "kind %d, %v, has no golden file: %s", kind, kind, steps)
		for version := range newest(t, frames[kind]) {
			assert.True(t, versions[kind][version+1], "version %d of kind %d, %v, has no golden file: %s", version+1, kind, kind, steps)
		}
	}
}

// newest returns the newest version that the decoder of a frame reads. The
// error for a version that it does not read names it.
func newest(t *testing.T, b []byte) uint8 {
	t.Helper()
	b = bytes.Clone(b)
	b[frametest.Version] = 255
	var field *hashfam.FieldError
	require.ErrorAs(t, decodeError(frametest.Seal(b)), &field)
	require.Equal(t, "version", field.Field)
	version, err := strconv.ParseUint(field.Allowed, 10, 8)
	require.NoError(t, err, "the error %q does not end with the newest version", field)
	return uint8(version)
}

// decodeError returns the error from decoding a frame.
func decodeError(b []byte) error {
	if b[frametest.Kind] == delta {
		return new(bloom.Filter).ApplyDelta(b)
	}
	if b[frametest.Kind] == inJournal {
		fam := hashfam.Family{}
		return block.ReadStart(bytes.NewReader(b), fam.CheckValue(), &fault.Maker{Package: "journal"})
	}
	return receivers(hashfam.Family{})[b[frametest.Kind]].UnmarshalBinary(b)
}
