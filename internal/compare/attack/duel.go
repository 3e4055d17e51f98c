package attack

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/measure"
)

// The seeds of the keys of an attack. Keys are random, so those of different
// seeds differ.
const (
	memberSeed = iota + 1
	absentSeed
	attackSeed
	victimSeed
)

// A keySource draws random keys of 16 bytes.
type keySource struct {
	random *rand.PCG
	key    [16]byte
}

func newKeySource(seed uint64) *keySource { return &keySource{random: rand.NewPCG(seed, 16)} }

// next returns a key, which is valid until the next call.
func (s *keySource) next() []byte {
	binary.LittleEndian.PutUint64(s.key[:8], s.random.Uint64())
	binary.LittleEndian.PutUint64(s.key[8:], s.random.Uint64())
	return s.key[:]
}

// take returns the next n keys.
func (s *keySource) take(n int) [][]byte {
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = bytes.Clone(s.next())
	}
	return keys
}

// A duel is one attack on one target. It counts what the attack costs.
type duel struct {
	target
	n       int // members
	budget  Budget
	random  *keySource // the adversary's keys
	hashes  int        // keys hashed on the adversary's own machine
	queries int        // questions to the target, and keys added to it
}

// must returns v. All seeds are fixed, so no attack on this code can fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// search draws keys until n of them satisfy wanted. The adversary hashes each
// key once.
func (d *duel) search(n int, wanted question) [][]byte { return d.draw(n, &d.hashes, wanted) }

// askFor queries the target for random keys until it contains n of them.
func (d *duel) askFor(f *measure.Filter, n int) [][]byte { return d.draw(n, &d.queries, f.Contains) }

// draw draws keys until n of them satisfy wanted, and counts all keys.
func (d *duel) draw(n int, count *int, wanted question) [][]byte {
	var found [][]byte
	for ; len(found) < n; *count++ {
		if key := d.random.next(); wanted(key) {
			found = append(found, bytes.Clone(key))
		}
	}
	return found
}

// members returns the keys that a target contains.
func (d *duel) members() [][]byte { return newKeySource(memberSeed).take(d.n) }

// attackRate is the rate of false positives that all filters are made for.
const attackRate = 0.01

// victim makes the target with keys.
func (d *duel) victim(keys [][]byte) *measure.Filter { return d.filled(d.secret, keys) }

// twin makes what the adversary makes of the same code and keys, without the
// secret.
func (d *duel) twin(keys [][]byte) *measure.Filter { return d.filled(hashfam.Family{}, keys) }

// filled returns a filter made for d.n keys that contains keys.
func (d *duel) filled(family hashfam.Family, keys [][]byte) *measure.Filter {
	return must(must(d.Build(uint64(d.n), attackRate, family)).Fill(keys))
}

// A question is a condition on a key, such as whether a filter contains it.
type question func(key []byte) bool

// falseRate returns the fraction of random keys that satisfy contains.
func (d *duel) falseRate(contains question) float64 {
	absent := newKeySource(absentSeed)
	found := 0
	for range d.budget.absent {
		if contains(absent.next()) {
			found++
		}
	}
	return float64(found) / float64(d.budget.absent)
}

// number returns how many keys satisfy a condition.
func number(keys [][]byte, holds question) int {
	return len(measure.Where(keys, holds))
}

// share returns the fraction of keys that satisfy a condition.
func share(keys [][]byte, holds question) float64 {
	return float64(number(keys, holds)) / float64(len(keys))
}
