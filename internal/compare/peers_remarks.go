package main

import (
	"fmt"
	"slices"
	"strings"
)

// missedBy is by how much the measured rate has to be above the asked one, at
// the lower end of its interval, to be called out: a tenth is more than
// rounding and chance explain.
const missedBy = 1.1

// peerRemarks say what has to be known of the rows and what went wrong in
// them, each once for all rates.
func peerRemarks(list []row, failures []failure) []string {
	var lines []string
	note := func(format string, args ...any) { lines = append(lines, "Note: "+fmt.Sprintf(format, args...)+".") }

	names := func(has func(structure) bool) string {
		var found []string
		for _, x := range list {
			if has(x.structure) && !slices.Contains(found, x.Structure) {
				found = append(found, x.Structure)
			}
		}
		return strings.Join(found, ", ")
	}
	if s := names(func(s structure) bool { return s.unkeyed }); s != "" {
		note("hash functions that are fixed by default: %s. The rate is measured on keys with a prefix that changes", s)
	}
	if s := names(func(s structure) bool { return s.fixed > 0 }); s != "" {
		note("a rate that cannot be chosen: %s. The target is the rate that it is made for", s)
	}
	if s := names(func(s structure) bool { return s.static }); s != "" {
		note("built from all keys at once: %s. add is the time of that for each key", s)
	}
	for _, x := range list {
		if x.given > 0 && x.Refused > 0 {
			note("%s at %s refused %s of the %s keys given to it in all rounds", x.Structure, x.shown().target,
				thousands(int(x.Refused)), thousands(int(x.given)))
		}
	}
	for _, x := range list {
		if x.BoundRatio != nil && x.FPRLow > missedBy*x.TargetFPR {
			note("%s at %s errs %.1f times as often as it was asked to", x.Structure, x.shown().target, x.FPR/x.TargetFPR)
		}
	}
	for _, f := range failures {
		note("%s", f)
	}
	return lines
}

// also is what a structure does besides, or a dash.
func (x row) also() string {
	if x.structure.also == "" {
		return "-"
	}
	return x.structure.also
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
