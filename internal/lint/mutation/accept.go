package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// An acceptance is a mutant that a document lists with the reason why no test
// can kill it.
type acceptance struct {
	pkg, file, operator, source, why string
	nth                              int
	used                             bool
}

var (
	item    = regexp.MustCompile("^- `([^`]+\\.go)` ([A-Z_]+)(?: ([0-9]+))?: `(.*)`$")
	heading = regexp.MustCompile("^## `?([a-z/]+)`?$")
)

// acceptances reads a document. Below the heading of a package, a paragraph
// gives the reason for the list items that follow it:
//
//   - `file.go` OPERATOR 2: `line of code`
//
// The number tells which of the file's equal operators on equal lines is meant;
// 1 can be left out.
func acceptances(path string) ([]*acceptance, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []*acceptance
	pkg, why, open := "", "", false
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case heading.MatchString(line):
			pkg, why, open = heading.FindStringSubmatch(line)[1], "", false
		case strings.HasPrefix(line, "## "):
			pkg = "" // a section that is not about a package
		case pkg == "" || line == "":
			open = false
		case strings.HasPrefix(line, "- "):
			open = false
			one, err := parse(line, pkg, why)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
			}
			all = append(all, one)
		case open:
			why += " " + line
		default:
			why, open = line, true
		}
	}
	return all, nil
}

// parse parses a list item.
func parse(line, pkg, why string) (*acceptance, error) {
	m := item.FindStringSubmatch(line)
	if m == nil || why == "" {
		return nil, fmt.Errorf("%q: want a reason above, and - `file.go` OPERATOR [number]: `line of code`", line)
	}
	nth := 1
	if m[3] != "" {
		nth, _ = strconv.Atoi(m[3])
	}
	return &acceptance{pkg: pkg, file: m[1], operator: m[2], source: m[4], why: why, nth: nth}, nil
}

// accept marks the mutants that lived and are listed. It returns the listed
// ones that are stale: a test kills them, or the code has changed. Those that
// were not asked for are not stale.
func accept(p *pkg, listed []*acceptance) (stale []string) {
	for _, m := range p.mutants {
		for _, a := range listed {
			if a.pkg == p.name && a.file == m.file && a.operator == m.operator && a.source == m.source && a.nth == m.nth {
				a.used = m.verdict == lived || m.verdict == notAsked
				if m.verdict == lived {
					m.verdict, m.why = accepted, a.why
				}
			}
		}
	}
	for _, a := range listed {
		if a.pkg == p.name && !a.used {
			stale = append(stale, fmt.Sprintf("%s %s %d: %s", a.file, a.operator, a.nth, a.source))
		}
	}
	return stale
}
