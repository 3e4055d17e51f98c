package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/filterfam/filterfam/internal/compare/attack"
	"github.com/filterfam/filterfam/internal/compare/measure"
)

// missedBy is how many times the requested rate the lower end of the measured
// interval must be for a remark: a tenth more than requested is more than
// rounding and chance explain.
const missedBy = 1.1

// peerRemarks returns notes that a reader of the rows needs, and failures, each
// once for all rates.
func peerRemarks(list []measure.Row, failures []measure.Failure) []string {
	var lines, refused, missed, foreign []string
	for _, kind := range kinds {
		if names := namesOf(list, kind.has); len(names) > 0 {
			lines = append(lines, fmt.Sprintf(kind.note, strings.Join(names, ", ")))
		}
	}
	if names := modulesOf(list); len(names) > 0 {
		lines = append(lines, "libraries: "+strings.Join(names, "; "))
	}
	for _, x := range list {
		if x.Given > 0 && x.Refused > 0 {
			refused = append(refused, fmt.Sprintf("%s at %s refused %s of the %s keys given to it in all rounds", x.Structure, target(x),
				measure.Thousands(x.Refused), measure.Thousands(x.Given)))
		}
		if !x.Of.Exact && x.FPRLow > missedBy*x.TargetFPR {
			missed = append(missed, fmt.Sprintf("%s at %s errs %.1f times as often as requested", x.Structure, target(x), x.FPR/x.TargetFPR))
		}
		if x.ForeignRate != nil {
			foreign = append(foreign, fmt.Sprintf("%s is built from the absent keys, too, which add counts, and errs on none of them. A key in neither list is "+
				"taken for one of its keys at a rate of %s", x.Structure, percent(*x.ForeignRate, 1)))
		}
	}
	lines = slices.Concat(lines, refused, missed, foreign)
	for _, f := range failures {
		lines = append(lines, failed(f))
	}
	return lines
}

// kinds are notes about structures of some kind.
var kinds = []struct {
	has  func(measure.Structure) bool
	note string
}{
	{func(s measure.Structure) bool { return s.Unkeyed },
		"hash functions that are fixed by default: %s. The rate is measured on keys with a prefix that changes"},
	{func(s measure.Structure) bool { return s.Fixed > 0 },
		"a rate that cannot be chosen: %s. The target is the rate that it is made for"},
	{func(s measure.Structure) bool { return s.Static },
		"built from all keys at once: %s. add is the time of that for each key"},
	{func(s measure.Structure) bool { return s.Over > 1 },
		"made for a part of the keys, so that they grow: %s. Their names end in the number of keys over the expected one"},
}

// namesOf returns the structures of a kind, each once.
func namesOf(list []measure.Row, has func(measure.Structure) bool) []string {
	var names []string
	for _, x := range list {
		if has(x.Of) && !slices.Contains(names, x.Structure) {
			names = append(names, x.Structure)
		}
	}
	return names
}

// modulesOf names the libraries of the rows, each once, with their versions.
func modulesOf(list []measure.Row) []string {
	var names, done []string
	for _, x := range list {
		module := x.Of.Module
		if module == "" || slices.Contains(done, module) {
			continue
		}
		done = append(done, module)
		has := func(s measure.Structure) bool { return s.Module == module }
		names = append(names, strings.TrimSpace(strings.Join(namesOf(list, has), ", ")+" of "+module+" "+attack.VersionOf(module)))
	}
	return names
}

func failed(f measure.Failure) string {
	at := ""
	if f.TargetFPR > 0 {
		at = " at " + percentOf(f.TargetFPR)
	}
	if f.Rounds == 0 {
		return fmt.Sprintf("%s%s could not be measured: %s", f.Structure, at, f.Error)
	}
	return fmt.Sprintf("%s%s failed after round %s: %s", f.Structure, at, measure.Thousands(f.Rounds), f.Error)
}
