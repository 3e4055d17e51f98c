package main

import (
	"fmt"
	"slices"
	"strings"
)

// missedBy is how many times the requested rate the lower end of the measured
// interval must be for a remark: a tenth more than requested is more than
// rounding and chance explain.
const missedBy = 1.1

// peerRemarks returns notes that a reader of the rows needs, and failures, each
// once for all rates.
func peerRemarks(list []row, failures []failure) []string {
	var lines []string
	note := func(format string, args ...any) { lines = append(lines, "Note: "+fmt.Sprintf(format, args...)+".") }
	for _, kind := range kinds {
		if names := namesOf(list, kind.has); len(names) > 0 {
			note(kind.note, strings.Join(names, ", "))
		}
	}
	if names := modulesOf(list); len(names) > 0 {
		note("libraries: %s", strings.Join(names, "; "))
	}
	for _, x := range list {
		if x.given > 0 && x.Refused > 0 {
			note("%s at %s refused %s of the %s keys given to it in all rounds", x.Structure, x.target(),
				thousands(x.Refused), thousands(x.given))
		}
	}
	for _, x := range list {
		if !x.structure.exact && x.FPRLow > missedBy*x.TargetFPR {
			note("%s at %s errs %.1f times as often as requested", x.Structure, x.target(), x.FPR/x.TargetFPR)
		}
	}
	for _, x := range list {
		if x.ForeignRate != nil {
			note("%s is built from the absent keys, too, which add counts, and errs on none of them. A key in neither list is "+
				"taken for one of its keys at a rate of %s", x.Structure, percent(*x.ForeignRate, 1))
		}
	}
	for _, f := range failures {
		note("%s", f)
	}
	return lines
}

// kinds are notes about structures of some kind.
var kinds = []struct {
	has  func(structure) bool
	note string
}{
	{func(s structure) bool { return s.unkeyed },
		"hash functions that are fixed by default: %s. The rate is measured on keys with a prefix that changes"},
	{func(s structure) bool { return s.fixed > 0 },
		"a rate that cannot be chosen: %s. The target is the rate that it is made for"},
	{func(s structure) bool { return s.static },
		"built from all keys at once: %s. add is the time of that for each key"},
	{func(s structure) bool { return s.over > 1 },
		"made for a part of the keys, so that they grow: %s. Their names end in the number of keys over the expected one"},
}

// namesOf returns the structures of a kind, each once.
func namesOf(list []row, has func(structure) bool) []string {
	var names []string
	for _, x := range list {
		if has(x.structure) && !slices.Contains(names, x.Structure) {
			names = append(names, x.Structure)
		}
	}
	return names
}

// modulesOf names the libraries of the rows, each once, with their versions.
func modulesOf(list []row) []string {
	var names, done []string
	for _, x := range list {
		module := x.structure.module
		if module == "" || slices.Contains(done, module) {
			continue
		}
		done = append(done, module)
		has := func(s structure) bool { return s.module == module }
		names = append(names, strings.TrimSpace(strings.Join(namesOf(list, has), ", ")+" of "+module+" "+versionOf(module)))
	}
	return names
}

// A failure is a peer that could not be measured, or not in every round.
type failure struct {
	Structure string  `json:"structure"`
	TargetFPR float64 `json:"target_fpr"`
	Error     string  `json:"error"`

	rounds int
}

func (f failure) String() string {
	at := ""
	if f.TargetFPR > 0 {
		at = " at " + percentOf(f.TargetFPR)
	}
	if f.rounds == 0 {
		return fmt.Sprintf("%s%s could not be measured: %s", f.Structure, at, f.Error)
	}
	return fmt.Sprintf("%s%s failed after round %s: %s", f.Structure, at, thousands(f.rounds), f.Error)
}

func failuresOf(cells []*cell) []failure {
	var list []failure
	for _, c := range cells {
		if c.failure != "" {
			list = append(list, failure{Structure: c.name, TargetFPR: c.rate, Error: c.failure, rounds: c.rounds})
		}
	}
	return list
}
