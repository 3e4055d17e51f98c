package main

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"
	boom "github.com/tylertreat/BoomFilters"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/measure"
)

const (
	benchRate, benchDelta = 0.01, 0.01
	benchRounds           = 7
	benchBlock            = 1024 // keys that a batch call gets
)

// contestants lists the benchmarked structures in their order. BenchmarkRatios
// compares them with their peer, and BenchmarkBeyondTheCache uses the giants.
var contestants = []struct {
	name, peer string
	giant      bool
	make       func(n uint64) *subject
}{
	{"bloom", "bits-and-blooms", true, named("bloom")},
	{"bloom-blocked", "bits-and-blooms", true, named("bloom-blocked")},
	{"counting", "boom-counting", true, named("counting")},
	{"counting-blocked", "boom-counting", true, func(n uint64) *subject {
		return newSubject(must(counting.New(counting.Config{Capacity: n, FPRate: benchRate, Layout: counting.Blocked})))
	}},
	{"cuckoo", "seiflotfy-cuckoo", true, named("cuckoo")},
	{"cuckoo-compact", "seiflotfy-cuckoo", true, named("cuckoo-compact")},
	{"count-min", "boom-count-min", true, sketch(countmin.Config{})},
	{"count-min-conservative", "boom-count-min", false, sketch(countmin.Config{Conservative: true})},
	{"count-min-16", "count-min", false, sketch(countmin.Config{CounterBits: 16})},
	{"count-min-8", "count-min", false, sketch(countmin.Config{CounterBits: 8})},
	{"blocked-xxhash", "bits-and-blooms", false, func(n uint64) *subject { // digests by conversion, without a secret
		f := must(bloom.New(bloom.Config{Capacity: n, FPRate: benchRate, Layout: bloom.Blocked}))
		return &subject{add: operation{key: func(key []byte) { f.AddDigest(hashfam.Digest(xxhash.Sum64(key))) }},
			query: operation{key: func(key []byte) { f.ContainsDigest(hashfam.Digest(xxhash.Sum64(key))) }}}
	}},
	{"static", "", true, func(uint64) *subject { return newStatic() }},
	{"bits-and-blooms", "", true, named("bits-and-blooms")},
	{"seiflotfy-cuckoo", "", true, named("seiflotfy-cuckoo")}, // its rate is 3%
	{"boom-count-min", "", false, func(n uint64) *subject {
		s := boom.NewCountMinSketch(benchEpsilon(n), benchDelta)
		return &subject{add: operation{key: func(key []byte) { s.Add(key) }}, query: operation{key: func(key []byte) { s.Count(key) }}}
	}},
	{"boom-counting", "", false, named("boom-counting")},
}

// named returns a function that builds a filter of the comparison. Peers only
// support single keys.
func named(name string) func(n uint64) *subject {
	return func(n uint64) *subject {
		f := must(measure.Named(name).Build(n, benchRate, hashfam.Family{}))
		if !measure.Named(name).Peer {
			return newSubject(f.Inner.(measure.Set))
		}
		x := &subject{size: f.SizeBytes, add: operation{key: func(key []byte) { _ = f.Add(key) }},
			query: operation{key: func(key []byte) { f.Contains(key) }}}
		if f.Delete != nil {
			x.remove = operation{key: func(key []byte) { f.Delete(key) }}
		}
		return x
	}
}

func sketch(c countmin.Config) func(n uint64) *subject {
	return func(n uint64) *subject {
		c.Epsilon, c.Delta = benchEpsilon(n), benchDelta
		s := must(countmin.New(c))
		dst := make([]uint64, 0, benchBlock)
		return &subject{
			size: s.SizeBytes, add: operation{s.Add, s.AddDigest, s.AddAll},
			query: operation{func(key []byte) { s.Count(key) }, func(d hashfam.Digest) { s.CountDigest(d) },
				func(digests []hashfam.Digest) { dst = s.CountAll(dst[:0], digests) }},
		}
	}
}

// benchEpsilon makes a sketch about as large as a counting filter.
func benchEpsilon(n uint64) float64 { return 10 / float64(n) }

func must[T any](built T, err error) T {
	if err != nil {
		panic(err)
	}
	return built
}

// The forms in which keys are passed: single keys, single digests, and batches
// of keys.
var forms = []string{"key", "digest", "batch"}

// An operation can be called in each of the forms. digest and batch may be nil.
type operation struct {
	key    func([]byte)
	digest func(hashfam.Digest)
	batch  func([]hashfam.Digest)
}

// A subject is a structure that is benchmarked.
type subject struct {
	size               func() uint64
	add, query, remove operation
	build              func() // called when all keys are added, if it is set; then adding is not timed
}

// A sample contains keys and, for the digest form, their digests.
type sample struct {
	keys    [][]byte
	digests []hashfam.Digest
}

// newSample returns n random keys of 16 bytes, stored consecutively.
func newSample(rng *rand.PCG, n int) sample {
	all, s := make([]byte, 0, 16*n), sample{keys: make([][]byte, n)}
	for i := range s.keys {
		all = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(all, rng.Uint64()), rng.Uint64())
		s.keys[i] = all[16*i:]
	}
	s.digests = hashfam.Family{}.SumAll(nil, s.keys)
	return s
}

// part returns part i when s is split into equal parts.
func (s sample) part(i, parts int) sample {
	n := len(s.keys) / parts
	return sample{s.keys[i*n : (i+1)*n], s.digests[i*n : (i+1)*n]}
}

// run calls o for all keys in s and returns the time per key, or 0 if o does
// not support the form.
func (o operation) run(form string, s sample) float64 {
	block := make([]hashfam.Digest, 0, benchBlock)
	start := time.Now()
	switch {
	case form == "key" && o.key != nil:
		for _, key := range s.keys {
			o.key(key)
		}
	case form == "digest" && o.digest != nil:
		for _, d := range s.digests {
			o.digest(d)
		}
	case form == "batch" && o.batch != nil:
		for keys := range slices.Chunk(s.keys, benchBlock) {
			o.batch(hashfam.Family{}.SumAll(block[:0], keys))
		}
	default:
		return 0
	}
	return float64(time.Since(start).Nanoseconds()) / float64(len(s.keys))
}

// fill adds keys without timing.
func (x *subject) fill(digests []hashfam.Digest) {
	if x.add.batch != nil {
		x.add.batch(digests)
		return
	}
	var key [16]byte
	for _, d := range digests {
		binary.LittleEndian.PutUint64(key[:], uint64(d))
		x.add.key(key[:])
	}
}

// newSubject adapts one of our filters, which must use the public family.
func newSubject(s measure.Set) *subject {
	x := &subject{size: s.SizeBytes}
	switch s := s.(type) {
	case interface {
		Add([]byte)
		AddDigest(hashfam.Digest)
		AddAll([]hashfam.Digest)
	}:
		x.add = operation{s.Add, s.AddDigest, s.AddAll}
	case interface {
		Add([]byte) error
		AddDigest(hashfam.Digest) error
		AddAll([]hashfam.Digest) (int, error)
	}:
		x.add = operation{func(key []byte) { _ = s.Add(key) }, func(d hashfam.Digest) { _ = s.AddDigest(d) },
			func(digests []hashfam.Digest) { _, _ = s.AddAll(digests) }}
	}
	if s, ok := s.(interface {
		ContainsDigest(hashfam.Digest) bool
		ContainsAll([]bool, []hashfam.Digest) []bool
	}); ok {
		dst := make([]bool, 0, benchBlock)
		x.query = operation{func(key []byte) { s.(measure.Set).Contains(key) }, func(d hashfam.Digest) { s.ContainsDigest(d) },
			func(digests []hashfam.Digest) { dst = s.ContainsAll(dst[:0], digests) }}
	}
	if s, ok := s.(interface {
		Delete([]byte) bool
		DeleteDigest(hashfam.Digest) bool
		DeleteAll([]hashfam.Digest) int
	}); ok {
		x.remove = operation{func(key []byte) { s.Delete(key) }, func(d hashfam.Digest) { s.DeleteDigest(d) },
			func(digests []hashfam.Digest) { s.DeleteAll(digests) }}
	}
	return x
}

// newStatic returns a static filter, which is built when it has all keys.
func newStatic() *subject {
	x, members := new(subject), []hashfam.Digest(nil)
	x.add.batch = func(digests []hashfam.Digest) { members = append(members, digests...) }
	x.build = func() {
		f := must(static.New(context.Background(), static.Config{FPRate: benchRate}, members))
		built := newSubject(f)
		members, x.size, x.query = nil, built.size, built.query
	}
	return x
}
