package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"

	"github.com/filterfam/filterfam/hashfam"
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

// errBudget ends a search that should have succeeded long ago.
var errBudget = errors.New("nothing found within the budget")

// mostHashes is what a duel may spend, far more than any search should need.
const mostHashes = 1 << 28

// search draws keys until one is as wanted. The adversary hashes each of them
// once.
func (d *duel) search(wanted func(key []byte) bool) ([]byte, error) {
	for ; d.hashes < mostHashes; d.hashes++ {
		if d.hashes%(1<<12) == 0 && d.ctx.Err() != nil {
			return nil, d.ctx.Err()
		}
		if key := d.random.next(); wanted(key) {
			d.hashes++
			return bytes.Clone(key), nil
		}
	}
	return nil, errBudget
}

// searchAll finds n keys.
func (d *duel) searchAll(n int, wanted func(key []byte) bool) ([][]byte, error) {
	keys := make([][]byte, n)
	for i := range keys {
		var err error
		if keys[i], err = d.search(wanted); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// members returns the keys that a target contains.
func (d *duel) members() [][]byte { return newKeySource(memberSeed).take(d.n) }

// victim makes the target with keys.
func (d *duel) victim(keys [][]byte) (filter, error) { return d.filled(d.secret, keys) }

// twin makes what the adversary makes of the same code and keys, without the
// secret.
func (d *duel) twin(keys [][]byte) (filter, error) { return d.filled(hashfam.Family{}, keys) }

// filled returns a filter made for d.n keys that contains keys.
func (d *duel) filled(family hashfam.Family, keys [][]byte) (filter, error) {
	f, err := d.build(uint64(d.n), attackRate, family)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		if err := f.Add(key); err != nil {
			return nil, err
		}
	}
	if s, ok := f.(staticFilter); ok {
		err = s.Build()
	}
	return f, err
}

// falseRate returns the rate of f for random keys.
func (d *duel) falseRate(f filter) float64 {
	absent := newKeySource(absentSeed)
	found := 0
	for range d.budget.absent {
		if f.Contains(absent.next()) {
			found++
		}
	}
	return float64(found) / float64(d.budget.absent)
}

// number returns the number of keys for which a condition holds.
func number(keys [][]byte, holds func(key []byte) bool) int {
	n := 0
	for _, key := range keys {
		if holds(key) {
			n++
		}
	}
	return n
}

// share returns the share of keys for which a condition holds.
func share(keys [][]byte, holds func(key []byte) bool) float64 {
	return float64(number(keys, holds)) / float64(len(keys))
}

// shareFound returns the share of keys that f contains.
func shareFound(f filter, keys [][]byte) float64 { return share(keys, f.Contains) }

// askFor queries the target for random keys until it contains n of them.
func (d *duel) askFor(f filter, n int) ([][]byte, error) {
	var found [][]byte
	for len(found) < n {
		if d.queries > mostHashes || d.ctx.Err() != nil {
			return nil, errors.Join(d.ctx.Err(), errBudget)
		}
		d.queries++
		if key := d.random.next(); f.Contains(key) {
			found = append(found, bytes.Clone(key))
		}
	}
	return found, nil
}
