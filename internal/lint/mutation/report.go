package main

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// A report is what became of the mutants of a package.
type report struct {
	pkg      *pkg
	failing  []string // units that fail without a mutant
	stale    []string
	finished bool
}

// counts returns the number of mutants with each verdict.
func (r *report) counts() (n [notAsked + 1]int) {
	for _, m := range r.pkg.mutants {
		n[m.verdict]++
	}
	return n
}

// efficacy is the percentage of the covered mutants that are killed, of those
// that are not accepted. A test that a mutant makes run too long has killed it.
func (r *report) efficacy() float64 {
	n := r.counts()
	return percentage(n[killed]+n[timedOut], n[lived])
}

// strict is the efficacy with the accepted mutants among those that lived.
func (r *report) strict() float64 {
	n := r.counts()
	return percentage(n[killed]+n[timedOut], n[lived]+n[accepted])
}

func percentage(part, rest int) float64 {
	if part+rest == 0 {
		return 100
	}
	return 100 * float64(part) / float64(part+rest)
}

// print prints the counts and the mutants that lived, with all those that no
// test reached or that do not compile if asked to.
func (r *report) print(w io.Writer, all bool) {
	n := r.counts()
	fmt.Fprintf(w, "%s: %d mutants: %d killed, %d timed out, %d lived, %d accepted, %d not covered, %d not viable; efficacy %.1f %%, %.1f %% with the accepted ones\n",
		r.pkg.name, len(r.pkg.mutants)-n[notAsked], n[killed], n[timedOut], n[lived], n[accepted], n[notCovered], n[notViable], r.efficacy(), r.strict())
	if !r.finished {
		fmt.Fprintln(w, "\tinterrupted: not covered includes mutants that were not tried")
	}
	for _, name := range r.failing {
		fmt.Fprintln(w, "\tleft out, fails when instrumented:", name)
	}
	for _, text := range r.stale {
		fmt.Fprintln(w, "\tstale, listed as accepted but did not live:", text)
	}
	label := map[verdict]string{lived: "LIVED"}
	if all {
		label = map[verdict]string{lived: "LIVED", accepted: "ACCEPTED", notCovered: "NOT COVERED", notViable: "NOT VIABLE", timedOut: "TIMED OUT", killed: "KILLED"}
	}
	for _, m := range r.pkg.mutants {
		if text := label[m.verdict]; text != "" {
			fmt.Fprintf(w, "\t%s %s/%v\n", text, r.pkg.name, m)
		}
	}
}

// A progress shows how far the work is, if standard error is a terminal.
type progress struct {
	lock        sync.Mutex
	done, lived int
}

func terminal() bool {
	info, err := os.Stderr.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// step counts a mutant.
func (p *progress) step(m *mutant, of *pkg) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.done++
	if m.verdict == lived {
		p.lived++
	}
	if terminal() {
		fmt.Fprintf(os.Stderr, "\r%s: %d of %d, %d lived ", of.name, p.done, len(of.mutants), p.lived)
		if p.done == len(of.mutants) {
			fmt.Fprint(os.Stderr, "\r\033[K")
		}
	}
}
