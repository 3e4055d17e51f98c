package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/cmd/filterfam/internal/input"
)

// maxLine is the length of the longest line. Tests change it.
var maxLine = input.MaxLine

// The readFlags say what a line is, and which part of it is the key.
type readFlags struct {
	nul, empty, fold  bool
	delimiter, fields string
	weight            uint
	columns           input.Columns
	delimiterHint     string // what a wrong -d could mean
	frames            string // what to do with a structure that is given as a file of lines
}

// addRead adds the flags of all subcommands that read lines. frames is printed
// when a file of lines contains a structure instead, and says what to do.
func (c *command) addRead(frames string) {
	c.read.frames = frames
	flags := c.Flags()
	flags.StringVarP(&c.read.delimiter, "delimiter", "d", "", "the `character` that separates fields; otherwise blanks do")
	flags.StringVarP(&c.read.fields, "fields", "f", "", "the key is made of these `fields`, such as 2 or 1,3-, as for cut;\nquery and uniq print whole lines")
	flags.BoolVarP(&c.read.fold, "ignore-case", "i", false, "upper and lower case letters of all alphabets are equal; a filter\ndoes not store -f and -i, so build and query must have the same")
	flags.BoolVarP(&c.read.nul, "null", "0", false, "lines end with a zero byte instead of a line break (also -z)")
	flags.BoolVarP(&c.read.nul, "null-data", "z", false, "")
	flags.Lookup("null-data").Hidden = true
	flags.BoolVar(&c.read.empty, "empty", false, "empty keys are keys; otherwise their lines are skipped")
	c.addKey()
}

// addWeight adds the flag for weighted lines.
func (c *command) addWeight() {
	c.Flags().UintVar(&c.read.weight, "weight-field", 0, "a line counts as often as this `field` says, such as 1 after uniq -c;\nwithout -f, the other fields are the key")
}

// checkRead checks the flags of addRead and addWeight.
func (c *command) checkRead() error {
	if c.given("weight-field") && c.read.weight == 0 {
		return errors.New("--weight-field 0, want the number of a field from 1")
	}
	if _, err := input.NewColumns(c.read.delimiter, ""); err != nil {
		return fmt.Errorf("-d %w%s", err, c.read.delimiterHint)
	}
	if c.given("delimiter") && !c.given("fields") && !c.given("weight-field") {
		return errors.New("-d: want -f, too, with the fields of the key" + c.read.delimiterHint)
	}
	var err error
	c.read.columns, err = input.NewColumns(c.read.delimiter, c.read.fields)
	if err != nil {
		return fmt.Errorf("-f %w", err)
	}
	return nil
}

// end returns the byte that ends lines of the output.
func (c *command) end() byte {
	if c.read.nul {
		return 0
	}
	return '\n'
}

// A batch contains some lines with the digests of their keys.
type batch struct {
	input.Batch
	digests []hashfam.Digest
}

// each calls use with all lines of the files, in batches, or with the lines of
// standard input if there are no names. The slices in a batch are only valid
// until use returns.
func (c *command) each(ctx context.Context, names []string, fam hashfam.Family, use func(batch) error) error {
	for _, name := range orStdin(names) {
		if err := c.eachOf(ctx, name, fam, use); err != nil {
			return err
		}
	}
	return nil
}

// eachOf calls use with batches of lines of a file.
func (c *command) eachOf(ctx context.Context, name string, fam hashfam.Family, use func(batch) error) error {
	var digests []hashfam.Digest
	return c.eachUnhashed(ctx, name, func(b input.Batch) error {
		digests = fam.SumAll(digests[:0], b.Keys)
		return use(batch{b, digests})
	})
}

// eachUnhashed calls use with batches of lines of a file, without digests.
func (c *command) eachUnhashed(ctx context.Context, name string, use func(input.Batch) error) error {
	config := input.Config{
		NUL: c.read.nul, Empty: c.read.empty, Key: c.read.columns, Fold: c.read.fold, Weight: int(c.read.weight), MaxLine: maxLine,
		Frames: c.read.frames, Read: c.progress.read,
	}
	return input.Each(ctx, name, config, func(b input.Batch) error {
		c.progress.lines += int64(len(b.Keys))
		return use(b)
	})
}

// orStdin returns the names, or that of standard input if there are none.
func orStdin(names []string) []string {
	if len(names) == 0 {
		return []string{"-"}
	}
	return names
}

// inputs returns the names of all files that are read: those that are given, or
// standard input if there are none, and the file with the secret key.
func (c *command) inputs(names []string) []string {
	all := slices.Clone(orStdin(names))
	if c.keyFile != "" {
		all = append(all, c.keyFile)
	}
	return all
}

// statInput returns the info of a file. The name "-" is standard input.
func statInput(name string) (fs.FileInfo, error) {
	if name == "-" {
		return os.Stdin.Stat()
	}
	return os.Stat(name)
}

// regular reports whether all names are regular files, which can be read twice.
func regular(names []string) bool {
	for _, name := range names {
		info, err := os.Stat(name)
		if name == "-" || err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return len(names) > 0
}
