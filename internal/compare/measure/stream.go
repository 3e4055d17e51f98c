package measure

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/filterfam/filterfam/internal/data"
)

// A Stream is keys in the order in which they occur.
type Stream struct {
	About string
	keys  Keys     // each once
	order []uint32 // places in keys

	mapBytes uint64 // of a map that counts the keys, once measured
}

// addTo adds the stream to a counter and returns how long that took.
func (s *Stream) addTo(ctx context.Context, c Counter) (time.Duration, error) {
	start := time.Now()
	for block := range slices.Chunk(s.order, blockKeys) {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		for _, place := range block {
			c.Add(s.keys.At(int(place)))
		}
	}
	return time.Since(start), nil
}

// MobyDick is the stream of the words of the novel.
func MobyDick() *Stream {
	s := streamOf(data.Tokens(data.MobyDick()))
	s.About = fmt.Sprintf("%s words of Moby-Dick, %s of them distinct.", Thousands(len(s.order)), Thousands(s.keys.Len()))
	return s
}

func streamOf(keys []string) *Stream {
	set := newKeySet(keys...)
	return &Stream{keys: set.Keys, order: set.order}
}

// zipfStream draws a million keys, or as many as there are, from the list under
// Zipf's law with exponent 1.1.
func zipfStream(keys *Keys) *Stream {
	draws, set := max(keys.Len(), 1_000_000), newKeySet()
	zipf := rand.NewZipf(rand.New(rand.NewPCG(5, 6)), 1.1, 1, uint64(keys.Len()-1))
	for range draws {
		set.add(keys.At(int(zipf.Uint64())))
	}
	return &Stream{keys: set.Keys, order: set.order, About: fmt.Sprintf("%s keys drawn under Zipf's law, exponent 1.1, %s of them distinct.",
		Thousands(draws), Thousands(set.Len()))}
}
