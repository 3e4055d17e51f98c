// Package attack does to structures of filterfam, and of other libraries, what
// an adversary can.
//
// Two peers move fingerprints by the global source of math/rand, which is
// seeded here. That takes a program with //go:debug randseednop=0.
package attack

import (
	"fmt"
	"math/rand"
	"runtime/debug"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/measure"
)

// An Attack is one line of a table: what one adversary does, to several
// targets. Every adversary has this program, can run it as long as the budget
// allows, and does not have the secret key of a target.
type Attack struct {
	Name  string
	Knows string // what the adversary has, apart from the code
	About string // what is done and what is measured
	Unit  Unit   // of the outcome
	Key   string // what a secret key does against it: stops, useless or needless
	on    []target
	try   func(*duel) (honest, outcome float64)
}

// A Unit says how a number is shown.
type Unit int

// The units of outcomes.
const (
	Share Unit = iota
	Tenths
	Hundredths
	Whole
)

// What a secret key does against an attack.
const (
	stops    = "stops it"
	useless  = "no help"
	needless = "not needed" // it fails under the public family, too
)

// A target is a structure as it is attacked: a filter, or else a tally.
type target struct {
	column string // of the table
	measure.Structure
	tally  measure.BuildCounter
	secret hashfam.Family
	renew  hashfam.Family                 // after the key was changed, if it can be
	layout func(f *measure.Filter) layout // of Bloom filters
	reopen reopen                         // of Bloom filters
}

// The columns of the targets that are ours.
const (
	Public = "public"
	Keyed  = "keyed"
)

// bothFamilies returns a structure of ours under the public family and under a
// secret key.
func bothFamilies(t target) []target {
	hidden := t
	t.column, hidden.column = Public, Keyed
	hidden.secret = hashfam.New(hashfam.Key([]byte("the secret key..")))
	hidden.renew = hashfam.New(hashfam.Key([]byte("the next key....")))
	return []target{t, hidden}
}

// A Budget is how much is tried.
type Budget struct {
	members   int // of the structure attacked
	absent    int // keys queried for a rate
	forged    int // keys made for an attack, if one is not enough
	victims   int
	collected int // false positives found by asking
	crowd     int // members of an attack that needs a large filter, over members
}

// The budgets of the tables, and of tests of them.
var (
	Full  = Budget{members: 1000, absent: 50_000, forged: 1000, victims: 5, collected: 100, crowd: 100}
	Quick = Budget{members: 200, absent: 10_000, forged: 200, victims: 4, collected: 20, crowd: 100}
)

// A Finding is the result of a duel.
type Finding struct {
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

// A Battle is one table of attacks.
type Battle struct {
	Title   string
	Attacks []Attack
}

// Battles are all tables of attacks.
var Battles = []Battle{bloomBattle, countingBattle, cuckooBattle, countBattle, staticBattle}

// Columns returns the columns of b, in the order of their first use.
func (b Battle) Columns() []string {
	var list []string
	for _, a := range b.Attacks {
		for _, t := range a.on {
			if !slices.Contains(list, t.column) {
				list = append(list, t.column)
			}
		}
	}
	return list
}

// Duels returns the number of duels in battles.
func Duels(battles []Battle) int {
	n := 0
	for _, b := range battles {
		for _, a := range b.Attacks {
			n += len(a.on)
		}
	}
	return n
}

// Fight carries out all attacks, one after another, and calls done after each
// duel.
func Fight(battles []Battle, b Budget, done func()) (findings []Finding, err error) {
	for _, battle := range battles {
		for _, a := range battle.Attacks {
			for _, t := range a.on {
				f, err := a.against(t, b)
				if err != nil {
					return nil, fmt.Errorf("%s, %s: %w", a.Name, t.column, err)
				}
				f.Section = battle.Title
				findings = append(findings, f)
				done()
			}
		}
	}
	return findings, nil
}

// against carries out a against one target. Every duel has the same seeds, so
// that each target meets the same adversary. An error in it ends it: see must.
func (a Attack) against(t target, b Budget) (_ Finding, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case failure:
			err = p.error
		default:
			panic(p)
		}
	}()
	//lint:ignore SA1019 two libraries take their random numbers from there
	rand.Seed(1)
	d := &duel{target: t, n: b.members, budget: b, random: newKeySource(attackSeed)}
	honest, outcome := a.try(d)
	return Finding{
		Attack: a.Name, Target: t.column, Module: t.Module, Version: VersionOf(t.Module), Knows: a.Knows, Members: d.n,
		Hashes: d.hashes, Queries: d.queries, Honest: honest, Outcome: outcome, Key: a.Key,
	}, nil
}

// VersionOf returns the version of a module that this program contains, or
// nothing if the program does not know.
func VersionOf(module string) string {
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
