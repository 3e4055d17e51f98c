package measure

import (
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/dustin/go-humanize/english"

	"github.com/filterfam/filterfam/internal/data"
)

// A Dataset holds the keys that every structure is measured on. No key is in
// both lists and none is in a list twice.
type Dataset struct {
	Members, Absent Keys
	Stream          *Stream  // to count: the members, or the words of a novel
	About           string   // describes the keys
	Notes           []string // about keys that were left out or made up
}

// A Source says where the keys of a Dataset come from: made up, or from files,
// where "-" is Stdin and "" the embedded domains.
type Source struct {
	Synthetic            int // 0: none
	KeysFile, AbsentFile string
	Stdin                io.Reader
}

// Load returns the keys of a source.
func Load(s Source) (*Dataset, error) {
	if s.Synthetic > 0 {
		d := SyntheticData(s.Synthetic)
		d.Stream = zipfStream(&d.Members)
		return d, nil
	}
	d := &Dataset{}
	members, memberName, err := newKeySet(data.MaliciousDomains()...), "malicious domains", error(nil)
	if s.KeysFile != "" {
		members, memberName, err = d.loadFile(s, "-keys", s.KeysFile, nil, "no key in it, want one per line")
	}
	if err != nil {
		return nil, err
	}
	absent, absentName, err := d.loadAbsent(s, members)
	if err != nil {
		return nil, err
	}
	d.Members, d.Absent = members.Keys, absent.Keys
	d.loadStream(s, members)
	d.About = fmt.Sprintf("Members: %s %s, %.1f bytes each on average. Absent keys to query: %s %s.",
		Thousands(d.Members.Len()), memberName, float64(len(d.Members.bytes))/float64(d.Members.Len()),
		Thousands(d.Absent.Len()), absentName)
	return d, nil
}

// loadAbsent returns keys that are not members, and their description.
func (d *Dataset) loadAbsent(s Source, members *keySet) (*keySet, string, error) {
	switch {
	case s.AbsentFile != "":
		return d.loadFile(s, "-absent", s.AbsentFile, members, "no key in it that is not a member, want one per line")
	case s.KeysFile == "":
		return newKeySet(data.BenignDomains()...), "benign domains", nil
	}
	d.note("no -absent given: the absent keys are members, or the last %d bytes of longer ones, with a random ending that are not members", absentEnd)
	return makeAbsent(members), "made-up keys", nil
}

// loadFile returns the keys of the file of a flag that are not excluded, and
// what to call them.
func (d *Dataset) loadFile(s Source, flag, name string, exclude *keySet, none string) (*keySet, string, error) {
	keys := newKeySet()
	c, err := s.read(flag, name, keys, exclude)
	switch {
	case err != nil:
		return nil, "", err
	case keys.Len() == 0:
		return nil, "", fmt.Errorf("%s %q: %s", flag, name, none)
	}
	if c.binary {
		d.note("%s looks like a binary file; every line of it is taken as a key", flag)
	}
	if c.empty+c.repeated+c.excluded > 0 {
		d.note("lines of %s that were left out: %s empty, %s repeated, %s of members", flag,
			Thousands(c.empty), Thousands(c.repeated), Thousands(c.excluded))
	}
	return keys, english.PluralWord(keys.Len(), "key", "keys") + " of " + show(name), nil
}

func (d *Dataset) note(format string, args ...any) {
	d.Notes = append(d.Notes, fmt.Sprintf(format, args...))
}

// loadStream counts the lines of -keys if any is repeated, and otherwise the
// words of a novel.
func (d *Dataset) loadStream(s Source, members *keySet) {
	if len(members.order) > members.Len() && s.KeysFile != "" {
		d.Stream = streamOf(members, "lines of "+show(s.KeysFile))
		return
	}
	d.Stream = MobyDick()
	if s.KeysFile != "" {
		d.note("no line of -keys is repeated, so there is nothing to count: the words of a novel are counted instead")
	}
}

// absentGoal is how many absent keys are made up if none are given.
const absentGoal = 1_000_000

// SyntheticData draws n members and at least a million absent keys of 16 random
// bytes from a fixed seed. Two of them are equal with a probability below
// 2^-70.
func SyntheticData(n int) *Dataset {
	source := rand.NewChaCha8([32]byte([]byte("filterfam compare synthetic keys")))
	d := &Dataset{Members: randomKeys(source, n), Absent: randomKeys(source, max(n, absentGoal))}
	d.About = fmt.Sprintf("Members: %s of 16 bytes. Absent keys to query: %s others.",
		Counted(n, "random key", "random keys"), Thousands(d.Absent.Len()))
	return d
}

// absentEnd is how many bytes of a member an absent key takes over at most, so
// that a million of them fit into memory even if the members are long.
const absentEnd = 64

// makeAbsent returns the ends of members with a random ending.
func makeAbsent(members *keySet) *keySet {
	random := rand.New(rand.NewPCG(1, 2))
	absent, n := newKeySet(), members.Len()
	var key []byte
	for absent.Len() < min(max(n, 100_000), absentGoal) {
		member := members.At(random.IntN(n))
		key = fmt.Appendf(key[:0], "%s%08x", member[max(0, len(member)-absentEnd):], random.Uint32())
		if !members.has(key) {
			absent.add(key)
		}
	}
	return absent
}

// A Stream is keys in the order in which they occur.
type Stream struct {
	About  string
	keys   Keys     // each once
	order  []uint32 // places in keys
	counts []uint64 // how often each key occurs
}

// streamOf returns the keys that were added to a set, in their order.
func streamOf(set *keySet, what string) *Stream {
	s := &Stream{keys: set.Keys, order: set.order, counts: make([]uint64, set.Len())}
	for _, place := range s.order {
		s.counts[place]++
	}
	s.About = fmt.Sprintf("%s %s, %s of them distinct.", Thousands(len(set.order)), what, Thousands(set.Len()))
	return s
}

// MobyDick is the stream of the words of the novel.
func MobyDick() *Stream {
	return streamOf(newKeySet(data.Tokens(data.MobyDick())...), "words of Moby-Dick")
}

// zipfStream draws a million keys, or as many as there are, from the list under
// Zipf's law with exponent 1.1.
func zipfStream(keys *Keys) *Stream {
	set := newKeySet()
	zipf := rand.NewZipf(rand.New(rand.NewPCG(5, 6)), 1.1, 1, uint64(keys.Len()-1))
	for range max(keys.Len(), 1_000_000) {
		set.add(keys.At(int(zipf.Uint64())))
	}
	return streamOf(set, "keys drawn under Zipf's law, exponent 1.1")
}
