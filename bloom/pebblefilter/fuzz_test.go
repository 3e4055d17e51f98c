package pebblefilter

import (
	"bytes"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
)

// opened is a decoded filter.
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

// FuzzFilters uses the same writer to build several filters, and looks up all
// keys.
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
