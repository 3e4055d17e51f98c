package attack

import (
	"bytes"
	"encoding/binary"
	"errors"
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

// A failure ends a duel: against recovers it.
type failure struct{ error }

// must returns what was made, or ends the duel.
func must[T any](made T, err error) T {
	if err != nil {
		panic(failure{err})
	}
	return made
}

// mostHashes is what a duel may spend, far more than any search should need.
const mostHashes = 1 << 28

// spent ends the duel if too much was spent.
func spent(spent int) {
	if spent > mostHashes {
		panic(failure{errors.New("nothing found within the budget")})
	}
}

// search draws keys until it has n that are as wanted. The adversary hashes
// each of them once.
func (d *duel) search(n int, wanted func(key []byte) bool) [][]byte {
	var found [][]byte
	for ; len(found) < n; d.hashes++ {
		spent(d.hashes)
		if key := d.random.next(); wanted(key) {
			found = append(found, bytes.Clone(key))
		}
	}
	return found
}

// askFor queries the target for random keys until it contains n of them.
func (d *duel) askFor(f *measure.Filter, n int) [][]byte {
	var found [][]byte
	for ; len(found) < n; d.queries++ {
		spent(d.queries)
		if key := d.random.next(); f.Contains(key) {
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

// A question is what an adversary asks of a filter.
type question func(key []byte) bool

// falseRate returns the rate of yes to random keys.
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

// number returns the number of keys for which a condition holds.
func number(keys [][]byte, holds question) int {
	n := 0
	for _, key := range keys {
		if holds(key) {
			n++
		}
	}
	return n
}

// share returns the share of keys for which a condition holds.
func share(keys [][]byte, holds question) float64 {
	return float64(number(keys, holds)) / float64(len(keys))
}
