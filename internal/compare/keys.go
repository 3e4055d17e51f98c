package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

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
	about           string   // what the keys are, as the beginning of a sentence
	notes           []string // what was left out or made up while reading them
}

// errData marks keys that cannot be measured, as opposed to a command line
// that cannot be understood.
var errData = errors.New("no usable keys")

// absentGoal is how many absent keys are made up where none are given.
const absentGoal = 1_000_000

// loadData returns the keys that the flags ask for.
func loadData(o options, stdin io.Reader) (*dataset, error) {
	if o.synthetic > 0 {
		return syntheticData(o.synthetic), nil
	}
	d := &dataset{}
	memberName, absentName := "malicious domains", "benign domains"

	members := make(map[string]struct{})
	if o.keysFile == "" {
		for _, key := range data.MaliciousDomains() {
			members[key] = struct{}{}
			d.members.add([]byte(key))
		}
	} else {
		memberName = "keys of " + show(o.keysFile)
		text, err := readFile("-keys", o.keysFile, stdin)
		if err != nil {
			return nil, err
		}
		c := distinct(&d.members, text, members, nil)
		d.note(c.repeated, "line of -keys repeats an earlier one and was left out", "lines of -keys repeat an earlier one and were left out")
		d.note(c.empty, "empty line of -keys was left out", "empty lines of -keys were left out")
		if d.members.len() == 0 {
			return nil, fmt.Errorf("%w: -keys %s holds no key (one a line)", errData, show(o.keysFile))
		}
	}

	switch {
	case o.absentFile != "":
		absentName = "keys of " + show(o.absentFile)
		text, err := readFile("-absent", o.absentFile, stdin)
		if err != nil {
			return nil, err
		}
		c := distinct(&d.absent, text, make(map[string]struct{}), members)
		d.note(c.repeated, "line of -absent repeats an earlier one and was left out", "lines of -absent repeat an earlier one and were left out")
		d.note(c.empty, "empty line of -absent was left out", "empty lines of -absent were left out")
		d.note(c.excluded, "key of -absent is a member too and was left out", "keys of -absent are members too and were left out")
		if d.absent.len() == 0 {
			return nil, fmt.Errorf("%w: -absent %s holds no key that is not a member (one a line)", errData, show(o.absentFile))
		}
	case o.keysFile == "":
		for _, key := range data.BenignDomains() {
			d.absent.add([]byte(key))
		}
	default:
		absentName = "made-up keys"
		makeAbsent(d, members)
		d.notes = append(d.notes, "no -absent given: the absent keys are members with a random ending that are not members")
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
	draw := func(count int) keyList {
		l := keyList{bytes: make([]byte, 16*count), ends: make([]int, count)}
		source.Read(l.bytes) // never fails
		for i := range l.ends {
			l.ends[i] = 16 * (i + 1)
		}
		return l
	}
	d := &dataset{members: draw(n), absent: draw(max(n, absentGoal))}
	d.about = fmt.Sprintf("%s random keys of 16 bytes as members, %s others to ask for in vain.",
		thousands(n), thousands(d.absent.len()))
	return d
}

// makeAbsent fills d.absent with members that have a random ending.
func makeAbsent(d *dataset, members map[string]struct{}) {
	random := rand.New(rand.NewPCG(1, 2))
	seen := make(map[string]struct{})
	n := d.members.len()
	var key []byte
	for d.absent.len() < min(max(n, 100_000), absentGoal) {
		key = fmt.Appendf(key[:0], "%s%08x", d.members.at(random.IntN(n)), random.Uint32())
		if _, member := members[string(key)]; member {
			continue
		}
		if _, again := seen[string(key)]; again {
			continue
		}
		seen[string(key)] = struct{}{}
		d.absent.add(key)
	}
}

// readFile returns what is in the file that flag names, standard input for
// "-".
func readFile(flag, name string, stdin io.Reader) ([]byte, error) {
	if name == "-" {
		text, err := io.ReadAll(stdin)
		if err != nil {
			return nil, fmt.Errorf("%w: %s -: %w", errData, flag, err)
		}
		return text, nil
	}
	text, err := os.ReadFile(name)
	if err == nil {
		return text, nil
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err // the name is already in the message
	}
	hint := ""
	if !filepath.IsAbs(name) {
		hint = "; under go run -C internal/compare, relative paths start at internal/compare"
	}
	return nil, fmt.Errorf("%w: %s %s: %w%s", errData, flag, name, err, hint)
}

// dropped counts the lines that distinct left out.
type dropped struct{ repeated, empty, excluded int }

// distinct adds each line of text to list unless it is empty, is in seen, or
// is in exclude. A line ends with \n or \r\n, the last one perhaps with
// neither; any other byte belongs to the key.
func distinct(list *keyList, text []byte, seen, exclude map[string]struct{}) dropped {
	var c dropped
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 0 {
			c.empty++
			continue
		}
		if _, again := seen[string(line)]; again {
			c.repeated++
			continue
		}
		seen[string(line)] = struct{}{}
		if _, both := exclude[string(line)]; both {
			c.excluded++
			continue
		}
		list.add(line)
	}
	return c
}

// note records that count lines were left out, if any were.
func (d *dataset) note(count int, one, many string) {
	switch {
	case count == 1:
		d.notes = append(d.notes, "1 "+one)
	case count > 1:
		d.notes = append(d.notes, thousands(count)+" "+many)
	}
}

func show(name string) string {
	if name == "-" {
		return "standard input"
	}
	return filepath.Base(name)
}
