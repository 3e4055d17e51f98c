package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// hunk is the line of a diff that gives the new lines: the first, and how many
// if not one.
var hunk = regexp.MustCompile(`(?m)^@@ -\S+ \+(\d+)(?:,(\d+))? @@`)

// changed returns the numbers of the lines of a file that a diff without
// context adds.
func changed(diff string) map[int]bool {
	lines := map[int]bool{}
	for _, m := range hunk.FindAllStringSubmatch(diff, -1) {
		first, _ := strconv.Atoi(m[1])
		n := 1
		if m[2] != "" {
			n, _ = strconv.Atoi(m[2])
		}
		for i := range n {
			lines[first+i] = true
		}
	}
	return lines
}

// since leaves only the mutants on lines that differ from a commit, and returns
// how many these are.
func (p *pkg) since(ctx context.Context, commit string) (int, error) {
	left := 0
	for _, s := range p.sources {
		cmd := exec.CommandContext(ctx, "git", "diff", "--unified=0", "--no-ext-diff", "--no-color", commit, "--", filepath.Base(s.path))
		cmd.Dir = p.dir
		diff, err := run(cmd)
		if err != nil {
			return 0, err
		}
		lines := changed(string(diff))
		for _, site := range s.sites {
			for _, m := range site.mutants {
				switch {
				case !lines[m.line]:
					m.verdict = notAsked
				case m.verdict != notViable:
					left++
				}
			}
		}
	}
	return left, nil
}

// choose leaves the mutants to try that the options ask for, and returns how
// many they are.
func (p *pkg) choose(ctx context.Context, o options) (n int, err error) {
	n = len(p.mutants)
	if o.since != "" {
		n, err = p.since(ctx, o.since)
	}
	if o.most > 0 {
		p.thin(o.most)
	}
	return n, err
}

// thin leaves at most n mutants to try, spread evenly over those that were.
func (p *pkg) thin(n int) {
	var asked []*mutant
	for _, m := range p.mutants {
		if m.verdict == notCovered {
			asked = append(asked, m)
		}
	}
	for i, m := range asked {
		if all := max(n, len(asked)); i*n/all == (i+1)*n/all {
			m.verdict = notAsked
		}
	}
}
