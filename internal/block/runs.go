package block

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// An Op says what was done with the words of a run.
type Op uint64

const (
	Add     Op = 1 + iota // the words are digests
	Delete                // the words are digests
	Advance               // the words are times, in nanoseconds since 1970
)

const (
	opShift = 56 // the operation is in the highest byte of a run's first word
	maxRun  = 1<<opShift - 1
)

// A Recorder collects the words of a block, which form runs. The first word of
// a run contains the Op in its highest byte and a number n in the other bytes.
// Then n words follow, which are digests or times.
type Recorder struct {
	Words []uint64
	run   int // 1 + the index of the last run's first word, or 0 if a new run must begin
}

// Add records a word.
func (r *Recorder) Add(op Op, word uint64) {
	if r.run == 0 || Op(r.Words[r.run-1]>>opShift) != op {
		r.Words = append(r.Words, uint64(op)<<opShift)
		r.run = len(r.Words)
	}
	r.Words[r.run-1]++
	r.Words = append(r.Words, word)
}

// EachRun calls f for every run in words. The argument run lacks the first word
// of the run, so run[0] is words[at]. EachRun returns the first error of f at
// once, and ErrCorrupt if the words are not runs.
func EachRun(words []uint64, m *fault.Maker, f func(op Op, at int, run []uint64) error) error {
	for at := 0; at < len(words); {
		first := words[at]
		op := Op(first >> opShift)
		n := first & maxRun
		at++
		if op < Add || op > Advance {
			return m.Field(hashfam.ErrCorrupt, "operation of a run", uint64(op), "1 to 3")
		}
		if n == 0 || n > uint64(len(words)-at) {
			return m.Field(hashfam.ErrCorrupt, "words of a run", n, "1 to the number of words that follow")
		}
		if err := f(op, at, words[at:at+int(n)]); err != nil {
			return err
		}
		at += int(n)
	}
	return nil
}
