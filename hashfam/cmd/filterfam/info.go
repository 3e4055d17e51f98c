package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/cmd/filterfam/internal/input"
	"github.com/filterfam/filterfam/internal/cli"
	"github.com/filterfam/filterfam/internal/frame"
)

// An about describes the structure in a file.
type about struct {
	File       string   `json:"file"`
	Kind       string   `json:"kind"`
	Version    uint8    `json:"version"`
	Family     string   `json:"family"`
	Parameters string   `json:"parameters,omitempty"`
	Keys       *float64 `json:"keys,omitempty"`
	Estimated  bool     `json:"keys_estimated,omitempty"`
	Absent     uint64   `json:"absent,omitempty"`
	Total      *uint64  `json:"total,omitempty"`
	Rate       *float64 `json:"rate,omitempty"`
	Bytes      uint64   `json:"bytes"`
	BitsPerKey float64  `json:"bits_per_key,omitempty"`
	Checksum   string   `json:"checksum"`
	Remark     string   `json:"remark,omitempty"`

	Journal *aboutJournal `json:"journal,omitempty"`

	invalid bool // the contents cannot be decoded, although no key is needed
}

func info(c *command) func(ctx context.Context, names []string) error {
	c.document("info [flags] FILE...", "describe the structures in files", infoLong, infoExamples)
	asJSON := false
	c.Flags().BoolVar(&asJSON, "json", false, "print a line of JSON for each file")
	c.addKey()
	return func(ctx context.Context, names []string) error { return c.info(ctx, names, asJSON) }
}

const infoLong = `
Describes the structures in files: the kind, the parameters, the number of keys,
the false-positive rate now, and whether the checksum is right. The secret key is
only needed for structures that store keys.`

const infoExamples = `
  filterfam info words.filter
  filterfam info --json words.filter`

func (c *command) info(ctx context.Context, names []string, asJSON bool) error {
	if len(names) == 0 {
		return errors.New("want the name of a file")
	}
	if err := checkStdout(c.inputs(names)); err != nil {
		return err
	}
	fam, err := c.family(ctx)
	if err != nil {
		return err
	}
	var damaged error
	for i, name := range names {
		a, err := c.describe(ctx, name, fam)
		if err != nil {
			c.out.Flush()
			return err
		}
		if a.Checksum == "wrong" {
			damaged = fmt.Errorf("%s: the file is damaged", name)
		}
		if a.invalid {
			damaged = fmt.Errorf("%s: the contents are invalid", name)
		}
		if err := c.printAbout(a, asJSON, i > 0); err != nil {
			return err
		}
	}
	if err := c.out.Flush(); err != nil {
		return err
	}
	return damaged
}

// printAbout prints a description, after an empty line if it is not the first.
func (c *command) printAbout(a about, asJSON, later bool) error {
	if asJSON {
		text, err := json.Marshal(a)
		fmt.Fprintln(c.out, string(text))
		return err
	}
	if later {
		fmt.Fprintln(c.out)
	}
	a.print(c.out)
	return nil
}

// describe reads a file and describes the structure in it. It reads bytes after
// the structure only to count them.
func (c *command) describe(ctx context.Context, name string, fam hashfam.Family) (about, error) {
	f, err := c.openHeader(ctx, name)
	if err != nil {
		return about{}, err
	}
	defer f.file.Close()
	if f.header.Kind == frame.Journal {
		return describeJournal(ctx, name, fam)
	}
	if err := f.checkMemory(0); err != nil {
		return about{}, input.Named(name, err)
	}
	s, undecoded := f.decode(fam)
	if _, err := io.Copy(io.Discard, f); err != nil {
		return about{}, input.Named(name, err)
	}
	return newAbout(name, f, s, undecoded), nil
}

// decode reads the structure. A structure of another family than fam is decoded
// as if it had the public family, because most structures can be described
// without their secret key. decode returns nil for a frame that is not a whole
// structure, such as the changes of a Bloom filter.
func (f *openFrame) decode(fam hashfam.Family) (structure, error) {
	s := receiver(f.header.Kind, fam)
	if s == nil {
		return nil, frame.Verify(f, f.header)
	}
	if f.header.Check != fam.CheckValue() {
		s = receiver(f.header.Kind, hashfam.Family{})
		f.from = frame.Publish(f.from, f.header)
	}
	_, err := s.ReadFrom(f)
	return s, err
}

// newAbout describes the frame in a file, of which decode has returned s and
// undecoded.
func newAbout(name string, f *openFrame, s structure, undecoded error) about {
	h := f.header
	a := about{File: name, Kind: h.Kind.String(), Version: h.Version, Family: h.Family(), Bytes: f.bytes, Checksum: "right"}
	_, a.Kind, _ = strings.Cut(a.Kind, " ")
	if h.Kind == frame.HeavyHitters {
		a.Kind = h.Kind.String()
	}
	switch {
	case a.Bytes != h.Size():
		a.Checksum = "wrong"
		a.Remark = fmt.Sprintf("the file has %d bytes, but the structure needs %d", a.Bytes, h.Size())
	case undecoded != nil:
		a.fail(undecoded)
	case s != nil:
		a.Parameters = parametersOf(s)
		a.measure(s)
	}
	return a
}

// parametersOf returns the parameters of a structure, without the family,
// because decode may have replaced the file's family by the public one. It cuts
// the result of String, the only description that all structures have.
func parametersOf(s structure) string {
	before, _, _ := strings.Cut(s.String(), ", family ")
	return before + ")"
}

// fail notes why the contents cannot be described.
func (a *about) fail(err error) {
	a.Remark = cli.Message(err, "--")
	if frame.Damaged(err) {
		a.Checksum = "wrong"
		return
	}
	if a.Family == (hashfam.Family{}).String() {
		a.invalid = true
		a.Remark = "the contents are invalid: " + a.Remark
		return
	}
	a.Remark = "the contents cannot be decoded, perhaps because they need the secret key: " + a.Remark
}

// measure adds the numbers about the structure's contents.
func (a *about) measure(s structure) {
	if exact, ok := s.(interface{ Len() uint64 }); ok {
		n := float64(exact.Len())
		a.Keys = &n
	} else if estimated, ok := s.(interface{ EstimatedLen() float64 }); ok {
		if n := math.Round(estimated.EstimatedLen()); !math.IsInf(n, 0) {
			a.Keys = &n
			a.Estimated = true
		}
	}
	if filter, ok := s.(*static.Filter); ok {
		a.Absent = filter.Params().Absent
	}
	if sum, ok := s.(interface{ Total() uint64 }); ok {
		n := sum.Total()
		a.Total = &n
	}
	if filter, ok := s.(rated); ok {
		rate := filter.FalsePositiveRate()
		a.Rate = &rate
	}
	if a.Keys != nil && *a.Keys > 0 {
		a.BitsPerKey = 8 * float64(s.SizeBytes()) / *a.Keys
	}
}

// print prints the fields that are known.
func (a *about) print(w io.Writer) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-13s%s\n", name, fmt.Sprintf(format, args...))
	}
	line("file", "%s", a.File)
	line("kind", "%s, version %d", a.Kind, a.Version)
	line("family", "%s", a.Family)
	if a.Parameters != "" {
		line("parameters", "%s", a.Parameters)
	}
	if a.Journal != nil {
		a.Journal.print(line)
	}
	if a.Keys != nil && a.Estimated {
		line("keys", "about %.0f", *a.Keys)
	} else if a.Keys != nil {
		line("keys", "%.0f", *a.Keys)
	}
	if a.Absent > 0 {
		line("absent keys", "%d", a.Absent)
	}
	if a.Total != nil {
		line("total", "%d", *a.Total)
	}
	if a.Rate != nil {
		line("rate", "%.3g%%", 100**a.Rate)
	}
	line("bytes", "%d", a.Bytes)
	if a.BitsPerKey > 0 {
		line("bits per key", "%.2f", a.BitsPerKey)
	}
	line("checksum", "%s", a.Checksum)
	if a.Remark != "" {
		line("remark", "%s", a.Remark)
	}
}
