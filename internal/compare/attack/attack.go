// Package attack attacks structures of filterfam and of other libraries.
//
// This package seeds the global source of math/rand, which two other libraries
// use to move fingerprints. Since Go ignores such seeds by default, go.mod
// contains godebug randseednop=0.
package attack

import (
	"bytes"
	"encoding/binary"
	global "math/rand"
	"math/rand/v2"
	"runtime/debug"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/measure"
)

// An Attack is one row of a table. Each adversary has this program and can run
// it within the [Budget], but does not have the target's secret key, unless
// Knows says so.
type Attack struct {
	Name  string
	Knows string // what else the adversary knows
	About string // describes the attack and its outcome
	Unit  Unit   // the outcome's unit
	Key   string // how a secret key affects it: stops, useless or needless
	on    []target
	try   func(*duel) (honest, outcome float64)
}

// A Unit determines how a number is formatted.
type Unit int

const (
	Share Unit = iota
	Tenths
	Hundredths
	Whole
)

// How a secret key affects an attack.
const (
	stops    = "stops it"
	useless  = "no help"
	needless = "not needed" // it also fails under the public family
)

// A target is a filter or a tally that is attacked.
type target struct {
	column string // the heading in the table
	measure.Structure
	tally  measure.BuildCounter
	secret hashfam.Family
	renew  hashfam.Family                 // the family after a change of key, if possible
	layout func(f *measure.Filter) layout // for Bloom filters
	reopen reopen                         // for Bloom filters
}

// The columns for our own structures.
const (
	Public = "public"
	Keyed  = "keyed"
)

// ours returns one of our structures twice, with the public family and with a
// secret key, followed by others.
func ours(t target, others ...target) []target {
	hidden := t
	t.column = Public
	hidden.column = Keyed
	hidden.secret = hashfam.New(hashfam.Key([]byte("the secret key..")))
	hidden.renew = hashfam.New(hashfam.Key([]byte("the next key....")))
	return append([]target{t, hidden}, others...)
}

func named(column, structure string) target {
	return target{column: column, Structure: measure.Named(structure)}
}

// A Budget limits an attack.
type Budget struct {
	members   int // keys in the attacked structure
	absent    int // keys queried to measure a rate
	forged    int // keys generated for an attack that needs several
	victims   int
	collected int // false positives found by queries
}

// Full is the budget for the tables, and Quick for tests.
var (
	Full  = Budget{members: 1000, absent: 50_000, forged: 1000, victims: 5, collected: 100}
	Quick = Budget{members: 200, absent: 10_000, forged: 200, victims: 4, collected: 20}
)

// A Finding is a duel's result.
type Finding struct {
	Section string  `json:"section"`
	Attack  string  `json:"attack"`
	Target  string  `json:"target"`
	Module  string  `json:"module"` // set for third-party libraries
	Version string  `json:"version"`
	Knows   string  `json:"knows"`
	Members int     `json:"members"`
	Hashes  int     `json:"hashes"`
	Queries int     `json:"queries"`
	Honest  float64 `json:"honest"`
	Outcome float64 `json:"outcome"`
	Key     string  `json:"key"`
}

// A Battle is a table of attacks.
type Battle struct {
	Title   string
	Attacks []Attack
}

// Battles contains all tables.
var Battles = []Battle{bloomBattle, countingBattle, cuckooBattle, countBattle, staticBattle}

// Duels returns the number of duels in battles.
func Duels(battles []Battle) (n int) {
	for _, b := range battles {
		for _, a := range b.Attacks {
			n += len(a.on)
		}
	}
	return n
}

// Fight runs all attacks in order and calls done after each duel. Every duel
// uses the same seeds, so each target meets the same adversary.
func Fight(battles []Battle, budget Budget, done func()) (findings []Finding) {
	for _, b := range battles {
		for _, a := range b.Attacks {
			for _, t := range a.on {
				//lint:ignore SA1019 two libraries use this source of random numbers
				global.Seed(1)
				d := &duel{target: t, n: budget.members, budget: budget, random: newKeySource(attackSeed)}
				honest, outcome := a.try(d)
				findings = append(findings, Finding{
					Section: b.Title, Attack: a.Name, Target: t.column, Module: t.Module, Version: VersionOf(t.Module), Knows: a.Knows,
					Members: d.n, Hashes: d.hashes, Queries: d.queries, Honest: honest, Outcome: outcome, Key: a.Key,
				})
				done()
			}
		}
	}
	return findings
}

// VersionOf returns a module's version in this program, or "" if it is unknown.
func VersionOf(module string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == module {
				return m.Version
			}
		}
	}
	return ""
}

// The seeds for an attack's keys. Keys from different seeds are different.
const (
	memberSeed = 1 + iota
	absentSeed
	attackSeed
	victimSeed
)

// A keySource generates random keys of 16 bytes.
type keySource struct {
	random *rand.PCG
	key    [16]byte
}

func newKeySource(seed uint64) *keySource { return &keySource{random: rand.NewPCG(seed, 16)} }

// next returns a key that can be used until the next call.
func (s *keySource) next() []byte {
	binary.LittleEndian.PutUint64(s.key[:8], s.random.Uint64())
	binary.LittleEndian.PutUint64(s.key[8:], s.random.Uint64())
	return s.key[:]
}

func (s *keySource) take(n int) [][]byte {
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = bytes.Clone(s.next())
	}
	return keys
}

// A duel is one attack on one target.
type duel struct {
	target
	n       int // number of members
	budget  Budget
	random  *keySource // the adversary's keys
	hashes  int        // keys hashed on the adversary's machine
	queries int        // queries of the target and keys added to it
}

// must is used for calls that cannot fail, since all seeds are fixed.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// search draws keys until n satisfy wanted. The adversary hashes each key once.
func (d *duel) search(n int, wanted question) [][]byte { return d.draw(n, &d.hashes, wanted) }

// askFor queries the target for random keys until n are found.
func (d *duel) askFor(f *measure.Filter, n int) [][]byte { return d.draw(n, &d.queries, f.Contains) }

// draw draws keys until n satisfy wanted. It adds the number of keys drawn to
// count, and panics if count becomes too large.
func (d *duel) draw(n int, count *int, wanted question) [][]byte {
	var found [][]byte
	for ; len(found) < n; *count++ {
		if *count > 1<<26 {
			panic("a search needs too many keys")
		}
		if key := d.random.next(); wanted(key) {
			found = append(found, bytes.Clone(key))
		}
	}
	return found
}

// members returns the keys that a target contains.
func (d *duel) members() [][]byte { return newKeySource(memberSeed).take(d.n) }

// attackRate is the false-positive rate of all filters.
const attackRate = 0.01

// victim builds the target with the given keys.
func (d *duel) victim(keys [][]byte) *measure.Filter { return d.filled(d.secret, keys) }

// twin builds the adversary's copy of the target, without using the secret key.
func (d *duel) twin(keys [][]byte) *measure.Filter { return d.filled(hashfam.Family{}, keys) }

func (d *duel) filled(family hashfam.Family, keys [][]byte) *measure.Filter {
	return must(must(d.Build(uint64(d.n), attackRate, family)).Fill(keys))
}

// A question is a condition on a key, for example whether a filter contains it.
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

func number(keys [][]byte, holds question) int { return len(measure.Where(keys, holds)) }

// share returns the fraction of keys that satisfy a condition.
func share(keys [][]byte, holds question) float64 {
	return float64(number(keys, holds)) / float64(len(keys))
}
