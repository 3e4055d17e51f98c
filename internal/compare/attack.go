// Two peers move fingerprints by the global source of math/rand, which can be
// seeded only under this setting. Nothing else in this program uses it.

//go:debug randseednop=0
package main

import (
	"context"
	"fmt"
	"math/rand"
	"runtime/debug"

	"github.com/filterfam/filterfam/hashfam"
)

// An attack is one line of a table: what one adversary does, to several
// targets. Every adversary has this program, can run it as long as the budget
// allows, and does not have the secret key of a target.
type attack struct {
	name  string
	knows string // what the adversary has, apart from the code
	about string // what is done and what is measured
	show  func(float64) string
	key   string // what a secret key does against it: stops, useless or needless
	on    []target
	try   func(*duel) (honest, outcome float64, err error)
}

// What a secret key does against an attack.
const (
	stops    = "stops it"
	useless  = "no help"
	needless = "not needed" // it fails under the public family, too
)

// A target is a structure as it is attacked. Exactly one of build and tally is
// set.
type target struct {
	column string // of the table
	module string // of a peer
	secret hashfam.Family
	renew  hashfam.Family // after the key was changed, if it can be
	build  func(n uint64, rate float64, family hashfam.Family) (filter, error)
	tally  func(s *stream, family hashfam.Family) (counter, error)
	layout func(f filter) layout // of Bloom filters
	reopen reopen                // of Bloom filters
}

// The columns of the targets that are ours.
const (
	public = "public"
	keyed  = "keyed"
)

// bothFamilies returns a structure of ours under the public family and under a
// secret key.
func bothFamilies(t target) []target {
	var secret, renewed hashfam.Key
	copy(secret[:], "the secret key..")
	copy(renewed[:], "the next key....")
	hidden := t
	t.column, hidden.column = public, keyed
	hidden.secret, hidden.renew = hashfam.New(secret), hashfam.New(renewed)
	return []target{t, hidden}
}

// A duel is one attack on one target. It counts what the attack costs.
type duel struct {
	target
	ctx     context.Context
	n       int // members
	budget  budget
	random  *keySource // the adversary's keys
	hashes  int        // keys hashed on the adversary's own machine
	queries int        // questions to the target, and keys added to it
}

// A budget is how much is tried.
type budget struct {
	members   int // of the structure attacked
	absent    int // keys queried for a rate
	forged    int // keys made for an attack, if one is not enough
	victims   int
	collected int // false positives found by asking
	crowd     int // members of an attack that needs a large filter, over members
}

var (
	fullBudget  = budget{members: 1000, absent: 50_000, forged: 1000, victims: 5, collected: 100, crowd: 100}
	quickBudget = budget{members: 200, absent: 10_000, forged: 200, victims: 4, collected: 20, crowd: 100}
)

// attackRate is the rate of false positives that all filters are made for.
const attackRate = 0.01

// A finding is the result of a duel.
type finding struct {
	Section string  `json:"section"`
	Attack  string  `json:"attack"`
	Target  string  `json:"target"`
	Module  string  `json:"module"` // of a peer, with its version
	Version string  `json:"version"`
	Knows   string  `json:"knows"`
	Members int     `json:"members"`
	Hashes  int     `json:"hashes"`
	Queries int     `json:"queries"`
	Honest  float64 `json:"honest"`
	Outcome float64 `json:"outcome"`
	Key     string  `json:"key"`
}

// A battle is one table of attacks.
type battle struct {
	title   string
	attacks []attack
}

// columns returns the columns of b, in the order of their first use.
func (b battle) columns() []string {
	var list []string
	seen := map[string]bool{}
	for _, a := range b.attacks {
		for _, t := range a.on {
			if !seen[t.column] {
				list, seen[t.column] = append(list, t.column), true
			}
		}
	}
	return list
}

// duels returns the number of duels in battles.
func duels(battles []battle) int {
	n := 0
	for _, b := range battles {
		for _, a := range b.attacks {
			n += len(a.on)
		}
	}
	return n
}

// fight carries out all attacks, one after another, and calls done after each
// duel. If ctx ends, it returns the error of ctx and the findings until then.
func fight(ctx context.Context, battles []battle, b budget, done func()) ([]finding, error) {
	findings := []finding{}
	for _, battle := range battles {
		for _, a := range battle.attacks {
			for _, t := range a.on {
				f, err := a.against(ctx, t, b)
				if err != nil {
					return findings, fmt.Errorf("%s, %s: %w", a.name, t.column, err)
				}
				f.Section = battle.title
				findings = append(findings, f)
				done()
			}
		}
	}
	return findings, nil
}

// against carries out a against one target. Every duel has the same seeds, so
// that each target meets the same adversary.
func (a attack) against(ctx context.Context, t target, b budget) (finding, error) {
	rand.Seed(1)
	d := &duel{target: t, ctx: ctx, n: b.members, budget: b, random: newKeySource(attackSeed)}
	honest, outcome, err := a.try(d)
	if err == nil {
		err = ctx.Err()
	}
	return finding{
		Attack: a.name, Target: t.column, Module: t.module, Version: versionOf(t.module), Knows: a.knows, Members: d.n,
		Hashes: d.hashes, Queries: d.queries, Honest: honest, Outcome: outcome, Key: a.key,
	}, err
}

// versionOf returns the version of a module that this program contains, or
// nothing if the program does not know.
func versionOf(module string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok || module == "" {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == module {
			return m.Version
		}
	}
	return ""
}

// battles are all tables of attacks.
var battles = []battle{bloomBattle, countingBattle, cuckooBattle, countBattle, staticBattle}
