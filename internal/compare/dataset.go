package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/filterfam/filterfam/internal/data"
)

// A dataset holds the keys that every structure is measured on. No key is in
// both lists and none is in a list twice.
type dataset struct {
	members, absent keyList
	stream          *stream  // to count: the members, or the words of a novel
	about           string   // describes the keys
	notes           []string // about keys that were left out or made up
}

// loadData returns the keys that the flags ask for. A bar on stderr shows how
// far the reading of files is.
func loadData(ctx context.Context, o options, stdin io.Reader, stderr io.Writer) (*dataset, error) {
	if o.synthetic > 0 {
		d := syntheticData(o.synthetic)
		d.stream = zipfStream(&d.members)
		return d, nil
	}
	d, r := &dataset{}, reader{ctx, stdin, stderr}
	members, memberName, err := d.loadMembers(o, r)
	if err != nil {
		return nil, err
	}
	absent, absentName, err := d.loadAbsent(o, r, members)
	if err != nil {
		return nil, err
	}
	d.members, d.absent = members.keyList, absent.keyList
	d.loadStream(o, members)
	d.about = fmt.Sprintf("Members: %s %s, %.1f bytes each on average. Absent keys to query: %s %s.",
		thousands(d.members.len()), memberName, float64(len(d.members.bytes))/float64(d.members.len()),
		thousands(d.absent.len()), absentName)
	return d, nil
}

// loadMembers returns the members and what to call them.
func (d *dataset) loadMembers(o options, r reader) (*keySet, string, error) {
	members := newKeySet()
	if o.keysFile == "" {
		members.addAll(data.MaliciousDomains())
		return members, "malicious domains", nil
	}
	c, err := r.read("-keys", o.keysFile, members, nil)
	if err != nil {
		return nil, "", err
	}
	if members.len() == 0 {
		return nil, "", fmt.Errorf("-keys %s: no key in it, want one per line", show(o.keysFile))
	}
	d.noteDropped("-keys", c)
	return members, keysOf(o.keysFile, members), nil
}

// loadAbsent returns keys that are not members and what to call them.
func (d *dataset) loadAbsent(o options, r reader, members *keySet) (*keySet, string, error) {
	absent := newKeySet()
	switch {
	case o.absentFile == "" && o.keysFile == "":
		absent.addAll(data.BenignDomains())
		return absent, "benign domains", nil
	case o.absentFile == "":
		d.notes = append(d.notes, fmt.Sprintf("no -absent given: the absent keys are members, or the last %d bytes of longer ones, "+
			"with a random ending that are not members", absentEnd))
		return absent, "made-up keys", makeAbsent(r.ctx, absent, members)
	}
	c, err := r.read("-absent", o.absentFile, absent, members)
	if err != nil {
		return nil, "", err
	}
	if absent.len() == 0 {
		return nil, "", fmt.Errorf("-absent %s: no key in it that is not a member, want one per line", show(o.absentFile))
	}
	d.noteDropped("-absent", c)
	return absent, keysOf(o.absentFile, absent), nil
}

// loadStream counts the lines of -keys if any is repeated, and otherwise the
// words of a novel.
func (d *dataset) loadStream(o options, members *keySet) {
	lines := len(members.order)
	if lines > members.len() && o.keysFile != "" {
		d.stream = &stream{keys: d.members, order: members.order, about: fmt.Sprintf("%s lines of %s, %s of them distinct.",
			thousands(lines), show(o.keysFile), thousands(members.len()))}
		return
	}
	d.stream = mobyDick()
	if o.keysFile != "" {
		d.notes = append(d.notes, "no line of -keys is repeated, so there is nothing to count: the words of a novel are counted instead")
	}
}

// noteDropped notes the lines that were left out of the file of a flag.
func (d *dataset) noteDropped(flag string, c dropped) {
	note := func(count int, one, many string) {
		if count > 0 {
			d.notes = append(d.notes, counted(count, one, many))
		}
	}
	note(c.repeated, "line of "+flag+" repeats an earlier one and was left out", "lines of "+flag+" repeat an earlier one and were left out")
	note(c.empty, "empty line of "+flag+" was left out", "empty lines of "+flag+" were left out")
	note(c.excluded, fmt.Sprintf("line of %s is a member too and was left out: %.60q", flag, c.both),
		fmt.Sprintf("lines of %s are members too and were left out, the first of them %.60q", flag, c.both))
}

// keysOf names the source of keys.
func keysOf(name string, keys *keySet) string {
	if keys.len() == 1 {
		return "key of " + show(name)
	}
	return "keys of " + show(name)
}

func show(name string) string {
	if name == "-" {
		return "standard input"
	}
	return printable(filepath.Base(name))
}

// printable quotes a name that would disturb a terminal.
func printable(name string) string {
	if utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return name
	}
	return strconv.Quote(name)
}
