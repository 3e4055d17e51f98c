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

// Damage in every place of a filter, with the right checksum of its header. The
// answer is that of the decoded filter; if that cannot be decoded, nothing else
// happens; and with an error every key may be there.
func TestDamagedFilters(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, p := range policies() {
		whole, errors := filterOf(p, 60), uint64(0)
		for range 4000 {
			frame := append([]byte(nil), whole[:len(whole)-8*(rng.IntN(3)/2)]...)
			for range 1 + rng.IntN(3) {
				frame[rng.IntN(64+rng.IntN(len(frame)-63))] = byte(rng.Uint32())
			}
			if rng.IntN(4) > 0 {
				reseal(frame)
			}
			k, f := key(rng.IntN(100)), receiver(p)
			may := ask(p, frame, k)
			n, last := p.Errors()
			require.True(t, may || n == errors, "%v", last)
			if f.UnmarshalBinary(frame) == nil {
				require.Equal(t, errors, n)
				require.Equal(t, f.Contains(k), may)
			}
			errors = n
		}
		require.Greater(t, errors, uint64(1000))
	}
}
