package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/filterfam/filterfam/internal/data"
)

// A stream is keys in the order in which they occur.
type stream struct {
	about string
	keys  keyList  // each once
	order []uint32 // places in keys

	mapBytes uint64 // of a map that counts the keys, once measured
}

// addTo adds the stream to a counter and returns how long that took.
func (s *stream) addTo(ctx context.Context, c counter) (time.Duration, error) {
	start := time.Now()
	for block := range slices.Chunk(s.order, blockKeys) {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		for _, place := range block {
			c.Add(s.keys.at(int(place)))
		}
	}
	return time.Since(start), nil
}

// mobyDick is the stream of the words of the novel.
func mobyDick() *stream {
	s := streamOf(data.Tokens(data.MobyDick()))
	s.about = fmt.Sprintf("%s words of Moby-Dick, %s of them distinct.", thousands(len(s.order)), thousands(s.keys.len()))
	return s
}

func streamOf(keys []string) *stream {
	s, places := &stream{}, make(map[string]uint32)
	for _, key := range keys {
		place, seen := places[key]
		if !seen {
			place = uint32(len(places))
			places[key] = place
			s.keys.add([]byte(key))
		}
		s.order = append(s.order, place)
	}
	return s
}

// zipfStream draws a million keys, or as many as there are, from the list under
// Zipf's law with exponent 1.1.
func zipfStream(keys *keyList) *stream {
	draws := max(keys.len(), 1_000_000)
	zipf := rand.NewZipf(rand.New(rand.NewPCG(5, 6)), 1.1, 1, uint64(keys.len()-1))
	s, places := &stream{order: make([]uint32, draws)}, make(map[uint64]uint32)
	for i := range s.order {
		rank := zipf.Uint64()
		place, seen := places[rank]
		if !seen {
			place = uint32(len(places))
			places[rank] = place
			s.keys.add(keys.at(int(rank)))
		}
		s.order[i] = place
	}
	s.about = fmt.Sprintf("%s keys drawn under Zipf's law, exponent 1.1, %s of them distinct.", thousands(draws), thousands(len(places)))
	return s
}
