package pebblefilter

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
)

// opened is a filter that the packages have decoded.
type opened interface {
	UnmarshalBinary([]byte) error
	Contains(key []byte) bool
}

func receiver(p *Policy) opened {
	if _, ok := p.builder.(ribbons); ok {
		return static.NewReceiver(p.hash.Family())
	}
	return bloom.NewReceiver(p.hash.Family())
}

// requireSafe asks p about key in any bytes. The answer is that of the decoded
// filter; if that cannot be decoded, nothing else happens; and with an error
// every key may be there.
func requireSafe(t *testing.T, p *Policy, frame, key []byte) {
	t.Helper()
	before, _ := p.Errors()
	may := ask(p, frame, key)
	after, last := p.Errors()
	if after != before || len(frame) == 0 {
		require.True(t, may, "%v", last)
	}
	f := receiver(p)
	if f.UnmarshalBinary(frame) == nil {
		require.Equal(t, before, after)
		require.Equal(t, f.Contains(key), may)
	}
}

// FuzzFrames asks about any key in any bytes, as they are and with the right
// checksum of their header.
func FuzzFrames(f *testing.F) {
	for _, p := range policies() {
		frame := filterOf(p, 40)
		f.Add(frame, key(3), uint32(0))
		f.Add(frame[:64], key(3), uint32(40<<8))
		f.Add(frame, key(300), uint32(17<<8|3))
	}
	all := policies()
	f.Fuzz(func(t *testing.T, frame, key []byte, change uint32) {
		frame = append([]byte(nil), frame...)
		if len(frame) > 0 {
			frame[int(change>>8)%len(frame)] ^= byte(change)
		}
		for _, p := range all {
			requireSafe(t, p, frame, key)
		}
		reseal(frame)
		for _, p := range all {
			requireSafe(t, p, frame, key)
		}
	})
}

// FuzzFilters builds filters of any keys, several with one writer, and finds
// them.
func FuzzFilters(f *testing.F) {
	f.Add([]byte("a,b,b,,c;;d;e,e"))
	f.Add(bytes.Repeat([]byte("key,"), 50))
	all := policies()
	f.Fuzz(func(t *testing.T, data []byte) {
		for name, p := range all {
			w := p.NewWriter(pebble.TableFilter)
			for table := range bytes.SplitSeq(data, []byte{';'}) {
				keys := bytes.Split(table, []byte{','})
				for _, k := range keys {
					w.AddKey(k)
				}
				filter := w.Finish(nil)
				require.NoError(t, receiver(p).UnmarshalBinary(filter))
				for _, k := range keys {
					require.True(t, ask(p, filter, k), name)
				}
			}
			requireNoErrors(t, p)
		}
	})
}

// Damage in every place of a filter, with the right checksum of its header.
func TestDamagedFilters(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, p := range policies() {
		whole := filterOf(p, 60)
		for range 4000 {
			frame := append([]byte(nil), whole[:len(whole)-8*(rng.IntN(3)/2)]...)
			for range 1 + rng.IntN(3) {
				frame[rng.IntN(64+rng.IntN(len(frame)-63))] = byte(rng.Uint32())
			}
			if rng.IntN(4) > 0 {
				reseal(frame)
			}
			requireSafe(t, p, frame, key(rng.IntN(100)))
		}
		n, _ := p.Errors()
		require.Greater(t, n, uint64(1000))
	}
}
