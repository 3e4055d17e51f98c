package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/filterfam/filterfam/hashfam"
)

// The queryFlags say what is printed.
type queryFlags struct {
	filters               []string
	invert, counts        bool
	onlyNumber, quiet     bool // print only the number of lines, or nothing
	matching, others      bool // print only the names of files
	withName, withoutName bool
	lineNumber, hasMost   bool
	most                  uint64
	names                 bool // print the names of files before lines or numbers
}

func query(c *command) func(ctx context.Context, names []string) error {
	c.document("query [flags] FILTER [FILE...]", "print the lines that may be in a filter", queryLong, queryExamples)
	var f queryFlags
	f.add(c)
	c.addRead("use -F for further filters")
	return func(ctx context.Context, names []string) error { return c.query(ctx, f, names) }
}

// add adds the flags.
func (f *queryFlags) add(c *command) {
	flags := c.Flags()
	flags.StringArrayVarP(&f.filters, "filter", "F", nil, "print what may be in this `FILTER` or in one after a further -F")
	flags.BoolVarP(&f.invert, "invert-match", "v", false, "print the other lines")
	flags.BoolVarP(&f.onlyNumber, "count", "c", false, "print only the number of lines of each file")
	flags.Uint64VarP(&f.most, "max-count", "m", 0, "stop after this `number` of lines of each file")
	flags.BoolVarP(&f.matching, "files-with-matches", "l", false, "print only the names of files with such lines")
	flags.BoolVarP(&f.others, "files-without-match", "L", false, "print only the names of the other files")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing, and stop at the first such line")
	flags.BoolVarP(&f.withName, "with-filename", "H", false, "print the file's name before each line")
	flags.BoolVar(&f.withoutName, "no-filename", false, "print no names, also with -c and several files")
	flags.BoolVar(&f.lineNumber, "line-number", false, "print the number of the line in its file before each line")
	flags.BoolVar(&f.counts, "counts", false, `print the count before each line (counting filters, in which 15
means 15 or more; sketches and heavy hitters); it can be too high,
but not too low`)
}

const queryLong = `
Prints the lines that may be in the filter: all lines that are in it, and a few
others. With -v, it prints the lines that are certainly not in it. The exit
status is 1 if there are none. Most flags are those of grep. Files can be
compressed.`

const queryExamples = `
  printf 'ada\nalan\n' | filterfam query words.filter
  filterfam query -c words.filter words.txt`

func (c *command) query(ctx context.Context, f queryFlags, names []string) error {
	if len(f.filters) == 0 {
		if len(names) == 0 {
			return errors.New("want the name of a filter")
		}
		f.filters = names[:1]
		names = names[1:]
	}
	fam, err := c.family(ctx)
	if err != nil {
		return err
	}
	names = orStdin(names)
	if err := checkStdout(c.inputs(names)); err != nil {
		return err
	}
	find, err := c.openLookups(ctx, f.filters, fam, f.counts)
	if err != nil {
		return err
	}
	f.hasMost = c.given("max-count")
	f.names = f.withName || f.onlyNumber && len(names) > 1 && !f.withoutName
	q := &querying{command: c, queryFlags: f, find: find, skipEmpty: f.lineNumber && !c.read.empty}
	c.read.empty = c.read.empty || f.lineNumber // they are counted
	for _, name := range names {
		if err := q.file(ctx, name, fam); err != nil {
			return err
		}
		if f.quiet && q.selected {
			return nil
		}
	}
	return q.finish()
}

// suspicious is a number of lines of which usually at least one is found. If
// none is, a remark says that flags may be wrong.
const suspicious = 1000

// errEnough is returned when the rest of a file does not matter.
var errEnough = errors.New("enough")

// A querying queries the lines of files.
type querying struct {
	*command
	queryFlags
	find      lookup
	skipEmpty bool // empty keys are counted as lines, but not queried
	lines     uint64
	any       bool // a line was found
	selected  bool // there was a line or a name that the exit status is about
	name      string
	position  uint64 // the number of lines in this file so far
	chosen    uint64 // lines in this file
}

// file queries the lines of a file.
func (q *querying) file(ctx context.Context, name string, fam hashfam.Family) error {
	q.name = name
	if name == "-" {
		q.name = "(standard input)"
	}
	q.position = 0
	q.chosen = 0
	err := q.eachOf(ctx, name, fam, q.use)
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	q.end()
	return nil
}

// finish returns errNothing if no line or name was selected.
func (q *querying) finish() error {
	if !q.any && q.lines >= suspicious && !q.quiet {
		q.remark("none of %d lines was found: were -i and -f the same in build?", q.lines)
	}
	if !q.selected {
		return errNothing
	}
	return nil
}

// use queries a batch.
func (q *querying) use(b batch) error {
	found, counts := q.find(b.digests)
	q.lines += uint64(len(found))
	q.any = q.any || slices.Contains(found, true)
	before := q.position
	q.position += uint64(len(found))
	for i, yes := range found {
		if yes == q.invert || q.skipEmpty && len(b.Keys[i]) == 0 {
			continue
		}
		if q.hasMost && q.chosen == q.most {
			return errEnough
		}
		q.chosen++
		if q.quiet || q.matching || q.others {
			return errEnough
		}
		if !q.onlyNumber {
			q.prefix(before+uint64(i)+1, counts, i)
			q.print(b.Lines[i])
		}
	}
	err := q.out.Flush()
	if err == nil && q.hasMost && q.chosen == q.most {
		err = errEnough
	}
	return err
}

// prefix prints what precedes a line.
func (q *querying) prefix(position uint64, counts []uint64, i int) {
	if q.names {
		q.out.WriteString(q.name)
		q.out.WriteByte(':')
	}
	if q.lineNumber {
		q.out.WriteString(strconv.FormatUint(position, 10))
		q.out.WriteByte(':')
	}
	if q.counts {
		q.out.WriteString(strconv.FormatUint(counts[i], 10))
		q.out.WriteByte('\t')
	}
}

// end prints what is printed once for a file.
func (q *querying) end() {
	switch {
	case q.quiet:
	case q.matching && q.chosen > 0, q.others && q.chosen == 0:
		fmt.Fprintln(q.out, q.name)
	case q.onlyNumber && !q.matching && !q.others:
		if q.names {
			fmt.Fprint(q.out, q.name, ":")
		}
		fmt.Fprintln(q.out, q.chosen)
	}
	q.selected = q.selected || (q.chosen > 0) != q.others
}

// print prints a line.
func (c *command) print(line []byte) {
	c.out.Write(line)
	c.out.WriteByte(c.end()) // errors are returned by Flush
}
