package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/filterfam/filterfam/internal/data"
)

// A keyList holds keys one after another in one block of memory, so that ten
// million of them cost eight bytes each beyond their own and nothing to the
// garbage collector.
type keyList struct {
	bytes []byte
	ends  []int // ends[i] is where key i ends and key i+1 begins
}

func (l *keyList) len() int { return len(l.ends) }

func (l *keyList) add(key []byte) {
	l.bytes = append(l.bytes, key...)
	l.ends = append(l.ends, len(l.bytes))
}

func (l *keyList) at(i int) []byte {
	start := 0
	if i > 0 {
		start = l.ends[i-1]
	}
	return l.bytes[start:l.ends[i]:l.ends[i]]
}

// A dataset is what every structure is measured on. No key is in both lists
// and none occurs twice in one.
type dataset struct {
	members, absent keyList
	stream          *stream  // what is counted: the members, or other words
	about           string   // what the keys are, as the beginning of a sentence
	notes           []string // what was left out or made up while reading them
}

// errData marks keys that cannot be measured, as opposed to a command line
// that cannot be understood.
var errData = errors.New("no usable keys")

// absentGoal is how many absent keys are made up where none are given.
const absentGoal = 1_000_000

// loadData returns the keys that the flags ask for. A bar on stderr follows the
// reading of files.
func loadData(ctx context.Context, o options, stdin io.Reader, stderr io.Writer) (*dataset, error) {
	if o.synthetic > 0 {
		d := syntheticData(o.synthetic)
		d.stream = zipfStream(&d.members)
		return d, nil
	}
	members, absent := newKeySet(), newKeySet()
	d := &dataset{}
	memberName, absentName := "malicious domains", "benign domains"
	if o.keysFile == "" {
		for _, key := range data.MaliciousDomains() {
			members.add([]byte(key))
		}
	} else {
		memberName = "keys of " + show(o.keysFile)
		c, err := readKeys(ctx, "-keys", o.keysFile, stdin, stderr, members, nil)
		if err != nil {
			return nil, err
		}
		d.noteDropped("-keys", c)
		if members.len() == 0 {
			return nil, fmt.Errorf("%w: -keys %s holds no key (one a line)", errData, show(o.keysFile))
		}
	}

	switch {
	case o.absentFile != "":
		absentName = "keys of " + show(o.absentFile)
		c, err := readKeys(ctx, "-absent", o.absentFile, stdin, stderr, absent, members)
		if err != nil {
			return nil, err
		}
		d.noteDropped("-absent", c)
		if absent.len() == 0 {
			return nil, fmt.Errorf("%w: -absent %s holds no key that is not a member (one a line)", errData, show(o.absentFile))
		}
	case o.keysFile == "":
		for _, key := range data.BenignDomains() {
			absent.add([]byte(key))
		}
	default:
		absentName = "made-up keys"
		makeAbsent(absent, members)
		d.notes = append(d.notes, "no -absent given: the absent keys are members with a random ending that are not members")
	}
	d.members, d.absent = members.keyList, absent.keyList
	if lines := len(members.order); o.keysFile == "" || lines == members.len() {
		d.stream = mobyDick()
		if o.keysFile != "" {
			d.notes = append(d.notes, "no line of -keys is repeated, so that there is nothing to count: the frequencies are of other words")
		}
	} else {
		d.stream = &stream{keys: d.members, order: members.order, about: fmt.Sprintf("%s lines of %s, %s of them distinct.",
			thousands(lines), show(o.keysFile), thousands(members.len()))}
	}
	d.about = fmt.Sprintf("%s %s as members (%.1f bytes each), %s %s to ask for in vain.",
		thousands(d.members.len()), memberName, float64(len(d.members.bytes))/float64(d.members.len()),
		thousands(d.absent.len()), absentName)
	return d, nil
}

// syntheticData draws n members and at least a million absent keys of 16
// random bytes from a fixed seed. Two of them are equal with a probability
// below 2^-70.
func syntheticData(n int) *dataset {
	source := rand.NewChaCha8([32]byte([]byte("filterfam compare synthetic keys")))
	d := &dataset{members: syntheticKeys(source, n), absent: syntheticKeys(source, max(n, absentGoal))}
	d.about = fmt.Sprintf("%s random keys of 16 bytes as members, %s others to ask for in vain.",
		thousands(n), thousands(d.absent.len()))
	return d
}

func syntheticKeys(source *rand.ChaCha8, n int) keyList {
	l := keyList{bytes: make([]byte, 16*n), ends: make([]int, n)}
	source.Read(l.bytes) // never fails
	for i := range l.ends {
		l.ends[i] = 16 * (i + 1)
	}
	return l
}

// makeAbsent fills absent with members that have a random ending.
func makeAbsent(absent, members *keySet) {
	random := rand.New(rand.NewPCG(1, 2))
	n := members.len()
	var key []byte
	for absent.len() < min(max(n, 100_000), absentGoal) {
		key = fmt.Appendf(key[:0], "%s%08x", members.at(random.IntN(n)), random.Uint32())
		if !members.has(key) {
			absent.add(key)
		}
	}
}

// readKeys adds the lines of a file to set, or of standard input for "-". It
// holds the keys themselves and one line of the file, never the whole file.
func readKeys(ctx context.Context, flag, name string, stdin io.Reader, stderr io.Writer, set, exclude *keySet) (dropped, error) {
	in, size := stdin, int64(-1)
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			hint := ""
			if !filepath.IsAbs(name) {
				hint = "; under go run -C internal/compare, relative paths start at internal/compare"
			}
			return dropped{}, fmt.Errorf("%w: %s %s: %w%s", errData, flag, name, pathless(err), hint)
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			size = info.Size()
			set.bytes = slices.Grow(set.bytes, int(min(size, 1<<30))) // grown bit by bit, there would be two of it
		}
		in = file
	}
	step, finish := newProgress(stderr, "reading "+show(name), size, inBytes)
	c, err := distinct(ctx, set, in, exclude, step)
	finish()
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: %s %s: %w", errData, flag, name, pathless(err))
	}
	return c, err
}

// pathless takes the name of the file from an error, where the message has it.
func pathless(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// longestKey bounds the memory that a file without line breaks takes.
const longestKey = 16 << 20

// dropped counts the lines that distinct left out.
type dropped struct {
	repeated, empty, excluded int
	both                      []byte // the first that was excluded
}

// distinct adds each line of text to set unless it is empty, is there already,
// or is in exclude. A line ends with \n or \r\n, the last one perhaps with
// neither; any other byte belongs to the key. It reports the bytes read to
// step, and ends early when ctx does.
func distinct(ctx context.Context, set *keySet, text io.Reader, exclude *keySet, step func(int)) (dropped, error) {
	var c dropped
	in := bufio.NewReaderSize(text, 1<<16)
	var long []byte // what a line had before the buffer was full
	for number, read := 1, 0; ; {
		line, err := in.ReadSlice('\n')
		if read += len(line); read >= 1<<16 || err == io.EOF {
			step(read)
			read = 0
			if ctx.Err() != nil {
				return c, ctx.Err()
			}
		}
		if err == bufio.ErrBufferFull {
			if long = append(long, line...); len(long) > longestKey {
				return c, fmt.Errorf("line %s is longer than %s bytes: want one key a line", thousands(number), thousands(longestKey))
			}
			continue
		}
		if err != nil && err != io.EOF {
			return c, err
		}
		if len(long) > 0 {
			line = append(long, line...)
			long = long[:0]
		}
		if err == io.EOF && len(line) == 0 {
			return c, nil
		}
		number++
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		switch {
		case len(line) == 0:
			c.empty++
		case exclude != nil && exclude.has(line):
			if c.excluded++; c.both == nil {
				c.both = bytes.Clone(line)
			}
		case set.len() == mostKeys:
			return c, fmt.Errorf("more than %s keys", thousands(mostKeys))
		case !set.add(line):
			c.repeated++
		}
		if err == io.EOF {
			return c, nil
		}
	}
}

// noteDropped records what was left out of the file that flag names.
func (d *dataset) noteDropped(flag string, c dropped) {
	note := func(count int, one, many string) {
		switch {
		case count == 1:
			d.notes = append(d.notes, "1 "+one)
		case count > 1:
			d.notes = append(d.notes, thousands(count)+" "+many)
		}
	}
	note(c.repeated, "line of "+flag+" repeats an earlier one and was left out", "lines of "+flag+" repeat an earlier one and were left out")
	note(c.empty, "empty line of "+flag+" was left out", "empty lines of "+flag+" were left out")
	note(c.excluded, fmt.Sprintf("line of %s is a member too and was left out: %.60q", flag, c.both),
		fmt.Sprintf("lines of %s are members too and were left out, the first of them %.60q", flag, c.both))
}

func show(name string) string {
	if name == "-" {
		return "standard input"
	}
	return filepath.Base(name)
}
