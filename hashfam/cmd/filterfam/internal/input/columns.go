package input

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Columns select the fields of a line that are its key. The zero value selects
// the whole line.
type Columns struct {
	delimiter []byte   // nil if blanks separate fields
	ranges    []fields // sorted and apart; nil for the whole line
}

// A fields is a range of fields, from 1, including both ends.
type fields struct{ from, to int }

// toEnd is the end of a range that contains all further fields.
const toEnd = math.MaxInt

// NewColumns returns the columns that a list such as "2", "1,3" or "2-"
// selects. If the list is empty, the whole line is the key. The delimiter is a
// single character; a tab can also be written as the two characters \t. If the
// delimiter is empty, blanks separate fields.
//
// With a delimiter, the key is what cut -d -f prints: the fields in their order
// in the line, with the delimiter between them, or the whole line if it
// contains no delimiter. Without a delimiter, the key is what awk prints: the
// fields with a space between them. But a range without an end, for example
// "2-", is the rest of the line, unchanged.
func NewColumns(delimiter, list string) (Columns, error) {
	var c Columns
	if delimiter == `\t` {
		delimiter = "\t"
	}
	if delimiter != "" {
		_, size := utf8.DecodeRuneInString(delimiter)
		if size < len(delimiter) {
			return c, fmt.Errorf("%q, want a single character", delimiter)
		}
		c.delimiter = []byte(delimiter)
	}
	if list == "" {
		return c, nil
	}
	for item := range strings.SplitSeq(list, ",") {
		r, err := parseRange(item)
		if err != nil {
			return c, err
		}
		c.ranges = append(c.ranges, r)
	}
	c.ranges = joined(c.ranges)
	return c, nil
}

// parseRange parses "2", "2-4", "2-" or "-4".
func parseRange(text string) (fields, error) {
	first, last, isRange := strings.Cut(text, "-")
	from, err := parseField(first, 1)
	to, failed := parseField(last, toEnd)
	if !isRange {
		to = from
	}
	if err != nil || failed != nil || from < 1 || to < from || first == "" && last == "" {
		return fields{}, fmt.Errorf("%q, want fields from 1, such as 2, 1,3 or 2-", text)
	}
	return fields{from, to}, nil
}

// parseField parses the number of a field, which may be missing.
func parseField(text string, missing int) (int, error) {
	if text == "" {
		return missing, nil
	}
	n, err := strconv.ParseUint(text, 10, 31)
	return int(n), err
}

// joined returns the ranges in order, without overlaps, and not next to each
// other.
func joined(ranges []fields) []fields {
	slices.SortFunc(ranges, func(a, b fields) int { return cmp.Compare(a.from, b.from) })
	apart := ranges[:1]
	for _, r := range ranges[1:] {
		last := &apart[len(apart)-1]
		if last.to == toEnd || r.from <= last.to+1 {
			last.to = max(last.to, r.to)
		} else {
			apart = append(apart, r)
		}
	}
	return apart
}

// without returns the other fields of a line.
func (c Columns) without(field int) Columns {
	c.ranges = []fields{{field + 1, toEnd}}
	if field > 1 {
		c.ranges = []fields{{1, field - 1}, {field + 1, toEnd}}
	}
	return c
}

// whole reports whether the whole line is the key.
func (c *Columns) whole() bool { return c.ranges == nil }

// cut returns the key of a line. The key is a part of line, unless fields must
// be joined. In this case, cut appends the key to made and returns that part of
// made.
func (c *Columns) cut(line []byte, made *[]byte) []byte {
	if len(c.ranges) == 1 {
		if key, ok := c.part(line, c.ranges[0]); ok {
			return key
		}
	}
	start := len(*made)
	*made = c.join(*made, line)
	return (*made)[start:len(*made):len(*made)]
}

// part returns the fields of a range, if they are a part of the line.
func (c *Columns) part(line []byte, r fields) (key []byte, ok bool) {
	rest, found := c.skip(line, r.from-1)
	switch {
	case !found && c.undivided(line):
		return line, true
	case !found, r.to == toEnd:
		return rest, true
	case c.delimiter == nil:
		return spaced(rest, r.to-r.from+1)
	}
	return c.span(rest, r.to-r.from+1), true
}

// undivided reports whether a line contains no delimiter. The whole line is
// then the key, as for the command cut.
func (c *Columns) undivided(line []byte) bool {
	return c.delimiter != nil && c.index(line) < 0
}

// index returns the position of the first delimiter, or -1.
func (c *Columns) index(b []byte) int {
	if len(c.delimiter) == 1 {
		return bytes.IndexByte(b, c.delimiter[0])
	}
	return bytes.Index(b, c.delimiter)
}

// skip returns the rest of a line after n fields, and whether it has a field.
func (c *Columns) skip(line []byte, n int) (rest []byte, found bool) {
	rest = line
	if c.delimiter == nil {
		rest = trimBlanks(line)
	}
	found = c.delimiter != nil || len(rest) > 0
	for ; found && n > 0; n-- {
		_, rest, found = c.next(rest)
	}
	return rest, found
}

// next returns the first field of rest, what follows it, and whether this is
// another field.
func (c *Columns) next(rest []byte) (field, after []byte, more bool) {
	if c.delimiter == nil {
		n := fieldLen(rest)
		after = trimBlanks(rest[n:])
		return rest[:n], after, len(after) > 0
	}
	n := c.index(rest)
	if n < 0 {
		return rest, nil, false
	}
	return rest[:n], rest[n+len(c.delimiter):], true
}

// span returns the first n fields of rest, with the delimiters between them.
func (c *Columns) span(rest []byte, n int) []byte {
	end := 0
	for {
		length := c.index(rest[end:])
		if length < 0 {
			return rest
		}
		end += length
		n--
		if n == 0 {
			return rest[:end]
		}
		end += len(c.delimiter)
	}
}

// spaced returns the first n fields of rest, if there is one space between
// them.
func spaced(rest []byte, n int) (key []byte, ok bool) {
	end := fieldLen(rest)
	for ; n > 1; n-- {
		blanks := len(rest) - end - len(trimBlanks(rest[end:]))
		switch {
		case end+blanks == len(rest):
			return rest[:end], true
		case blanks > 1 || rest[end] != ' ':
			return nil, false
		}
		end += 1 + fieldLen(rest[end+1:])
	}
	return rest[:end], true
}

// join appends the key of a line, with a delimiter or a space between its
// fields.
func (c *Columns) join(dst, line []byte) []byte {
	if c.undivided(line) {
		return append(dst, line...)
	}
	between := c.delimiter
	if between == nil {
		between = []byte(" ")
	}
	rest, more := c.skip(line, 0)
	first := true
	at := 1
	for _, r := range c.ranges {
		for ; more && at < r.from; at++ {
			_, rest, more = c.next(rest)
		}
		for ; more && at <= r.to; at++ {
			if !first {
				dst = append(dst, between...)
			}
			first = false
			if c.delimiter == nil && r.to == toEnd {
				return append(dst, rest...)
			}
			var field []byte
			field, rest, more = c.next(rest)
			dst = append(dst, field...)
		}
	}
	return dst
}

// field returns a field of a line, and whether there is one.
func (c *Columns) field(line []byte, n int) (field []byte, found bool) {
	rest, found := c.skip(line, n-1)
	if found {
		field, _, _ = c.next(rest)
	}
	return field, found
}

// isBlank reports whether a byte separates fields if there is no delimiter. A
// line contains line feeds only if lines end with a zero byte.
func isBlank(b byte) bool { return b <= ' ' && (b == ' ' || b == '\t' || b == '\n') }

// trimBlanks removes the blanks at the beginning.
func trimBlanks(b []byte) []byte {
	n := 0
	for n < len(b) && isBlank(b[n]) {
		n++
	}
	return b[n:]
}

// fieldLen returns the number of bytes before the first blank.
func fieldLen(b []byte) int {
	n := 0
	for n < len(b) && !isBlank(b[n]) {
		n++
	}
	return n
}
