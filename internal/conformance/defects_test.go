package conformance_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

var sink []byte

// defective is a Bloom filter with one defect.
type defective struct {
	*bloom.Filter
	defect string
}

func (f *defective) Clone() *defective {
	if f.defect == "clones share their bits" {
		return f
	}
	return &defective{f.Filter.Clone(), f.defect}
}

func (f *defective) Equal(g *defective) bool { return f.Filter.Equal(g.Filter) }

func (f *defective) Merge(g *defective) error {
	if f == nil || g == nil {
		return mergeNil(f, g)
	}
	switch f.defect {
	case "merge intersects":
		return f.Filter.Intersect(g.Filter)
	case "a failed merge resets":
		err := f.Filter.Merge(g.Filter)
		if err != nil {
			f.Reset()
		}
		return err
	}
	err := f.Filter.Merge(g.Filter)
	if f.defect == "a zero receiver is incompatible" && errors.Is(err, bloom.ErrParams) {
		return bloom.ErrIncompatible
	}
	return err
}

// mergeNil merges two filters, one of which is nil or both.
func mergeNil(f, g *defective) error {
	switch {
	case f == nil:
		return bloom.ErrParams
	case f.defect == "merging nil does nothing":
		return nil
	}
	return f.Filter.Merge(nil)
}

func (f *defective) UnmarshalBinary(b []byte) error {
	err := f.Filter.UnmarshalBinary(b)
	switch {
	case f.defect == "a failed decode resets" && err != nil:
		f.Reset()
	case f.defect == "trailing bytes are ignored" && err != nil && len(b) > 0:
		return f.Filter.UnmarshalBinary(b[:len(b)-1])
	case f.defect == "decoding takes the claimed memory" && err != nil:
		sink = make([]byte, 16<<20)
	case f.defect == "a later version is decoded" && errors.Is(err, bloom.ErrVersion):
		return nil
	}
	return err
}

func suite(defect string) conformance.Suite[*defective] {
	is := func(d string) bool { return defect == d }
	s := conformance.Suite[*defective]{
		Encoded: conformance.Encoded[*defective]{
			Fresh: func(t *rapid.T, fam hashfam.Family) *defective {
				f, err := bloom.NewFromParams(bloom.Params{Bits: 4096, Hashes: 4, Family: fam})
				require.NoError(t, err)
				return &defective{f, defect}
			},
			Receiver: func(fam hashfam.Family) *defective {
				if is("the family is not checked") {
					fam = hashfam.Family{}
				}
				return &defective{bloom.NewReceiver(fam), defect}
			},
			Insert: func(f *defective, key []byte) error {
				if is("the empty key is dropped") && len(key) == 0 {
					return nil
				}
				if is("an insertion allocates") {
					sink = make([]byte, 1+len(key))
				}
				f.Add(key)
				return nil
			},
			Has: func(f *defective, key []byte) bool {
				if is("a read writes") {
					f.AddString("read")
				}
				return f.Contains(key)
			},
			HasString: func(f *defective, key string) bool { return f.ContainsString(key) },
			HasDigest: func(f *defective, d hashfam.Digest) bool { return f.ContainsDigest(d) },
			HasAll: func(f *defective, dst []bool, keys [][]byte) []bool {
				if is("a batch has no answers") {
					return dst
				}
				return f.ContainsAll(dst, keys)
			},
			Reads:     func(*defective) {},
			ClaimHuge: func(params []byte) uint64 { params[5] = 1; return 1<<37 + 512 },
			Golden: []conformance.Golden[*defective]{{File: "none", Build: func() *defective {
				f, err := bloom.NewFromParams(bloom.Params{Bits: 512, Hashes: 4})
				if err != nil {
					panic(err)
				}
				return &defective{f, defect}
			}}},
		},
		Like: func(f *defective) *defective {
			g := f.Filter.Clone()
			g.Reset()
			return &defective{g, defect}
		},
		Variants: func(f *defective) []*defective {
			p := f.Params()
			fam := p
			fam.Family = fam.Family.Derive("another")
			p.Hashes++
			var variants []*defective
			for _, p := range []bloom.Params{p, fam} {
				g, err := bloom.NewFromParams(p)
				if err != nil {
					panic(err)
				}
				variants = append(variants, &defective{g, defect})
			}
			return variants
		},
		Reset: (*defective).Reset,
		Clone: (*defective).Clone,
		Merge: (*defective).Merge,
		InsertString: func(f *defective, key string) error {
			if is("strings are cut at 64 bytes") && len(key) > 64 {
				key = key[:64]
			}
			f.AddString(key)
			return nil
		},
		InsertDigest: func(f *defective, d hashfam.Digest) error { f.AddDigest(d); return nil },
		InsertAll: func(f *defective, keys [][]byte) error {
			if is("batches drop their last key") && len(keys) > 0 {
				keys = keys[:len(keys)-1]
			}
			f.AddAll(keys)
			return nil
		},
		HasOrInsert: func(f *defective, key []byte) (bool, error) {
			if is("query and insertion only queries") {
				return f.Contains(key), nil
			}
			return f.ContainsOrAdd(key), nil
		},
		HasOrInsertString: func(f *defective, key string) (bool, error) {
			return f.ContainsOrAddString(key), nil
		},
		HasOrInsertDigest: func(f *defective, d hashfam.Digest) (bool, error) {
			return f.ContainsOrAddDigest(d), nil
		},
	}
	return s
}

// variable names the environment variable for TestOneDefect. Its value is a
// structure, a colon and the structure's defect.
const variable = "FILTERFAM_DEFECT"

// TestOneDefect runs the suite on the structure that the environment variable
// names. TestTheSuiteRejectsEveryDefect runs it in a process of its own.
func TestOneDefect(t *testing.T) {
	structure, defect, _ := strings.Cut(os.Getenv(variable), ":")
	switch structure {
	case "filter":
		s := suite(defect)
		checkKeys(t, s)
		for name, check := range map[string]func(*rapid.T){
			"Damage": s.Damage, "LyingLength": s.LyingLength, "WrongFamily": s.WrongFamily,
			"WrongVersion": s.WrongVersion, "Streams": s.Streams,
		} {
			t.Run(name, func(t *testing.T) { rapid.Check(t, check) })
		}
	case "set":
		sets(defect).Run(t)
	case "run":
		suite(defect).Run(t)
	case "bag":
		checkKeys(t, bags(defect))
	case "reordered":
		checkKeys(t, reordered(defect))
	case "upper bound":
		s := suite(defect)
		s.MergeIsAnUpperBound, s.InsertDigest = true, nil
		checkKeys(t, s)
	default:
		t.Skip("run by TestTheSuiteRejectsEveryDefect")
	}
}

// checkKeys checks the properties that do not depend on the frame.
func checkKeys[T conformance.Structure[T]](t *testing.T, s conformance.Suite[T]) {
	for name, check := range map[string]func(*rapid.T){
		"Program": s.Program, "KeyForms": s.KeyForms, "HasOrInserts": s.HasOrInserts,
		"EmptyKey": s.EmptyKey, "MergeIsJointBuild": s.MergeIsJointBuild,
		"Incompatible": s.Incompatible, "CloneAndReset": s.CloneAndReset, "RoundTrip": s.RoundTrip, "PureReads": s.PureReads,
		"Batches": s.Batches, "Queries": s.Queries, "Equality": s.Equality,
	} {
		t.Run(name, func(t *testing.T) { rapid.Check(t, check) })
	}
}

// TestTheSuiteRejectsEveryDefect checks that each defect makes the given
// property fail, and that all properties pass without a defect. The seed is
// fixed.
func TestTheSuiteRejectsEveryDefect(t *testing.T) {
	skipIfNoProcesses(t)
	for _, c := range []struct{ structure, defect, property string }{
		{"filter", "", ""},
		{"filter", "clones share their bits", "CloneAndReset"},
		{"filter", "clones share their bits", "Program"},
		{"filter", "merge intersects", "MergeIsJointBuild"},
		{"filter", "merge intersects", "Program"},
		{"filter", "a failed merge resets", "Program"},
		{"filter", "a failed decode resets", "Program"},
		{"filter", "a failed decode resets", "Damage"},
		{"filter", "trailing bytes are ignored", "Damage"},
		{"filter", "decoding takes the claimed memory", "LyingLength"},
		{"filter", "the family is not checked", "WrongFamily"},
		{"filter", "a later version is decoded", "WrongVersion"},
		{"filter", "the empty key is dropped", "EmptyKey"},
		{"filter", "the empty key is dropped", "Program"},
		{"filter", "strings are cut at 64 bytes", "KeyForms"},
		{"filter", "batches drop their last key", "KeyForms"},
		{"filter", "batches drop their last key", "Batches"},
		{"filter", "a batch has no answers", "Program"},
		{"filter", "query and insertion only queries", "HasOrInserts"},
		{"filter", "a read writes", "PureReads"},
		{"bag", "", ""},
		{"bag", "a failed insertion evicts", "Program"},
		{"bag", "a failed insertion inserts", "Program"},
		{"bag", "room is not compared", "Incompatible"},
		{"bag", "every copy is deleted", "Program"},
		{"bag", "an absent key is deleted", "Program"},
		{"bag", "a clone forgets a key", "Program"},
		{"bag", "a merge takes the larger count", "MergeIsJointBuild"},
		{"bag", "a key that is found is inserted again", "HasOrInserts"},
		{"upper bound", "", ""},
		{"upper bound", "merge intersects", "MergeIsJointBuild"},
		{"upper bound", "merge intersects", "Program"},
		{"upper bound", "strings are cut at 64 bytes", "KeyForms"},
		{"upper bound", "batches drop their last key", "KeyForms"},
		{"reordered", "", ""},
		{"reordered", "a merge takes the larger count", "MergeIsJointBuild"},
		{"reordered", "a merge adds a key", "MergeIsJointBuild"},
		{"reordered", "a failed merge adds some keys", "MergeIsJointBuild"},
		{"bag", "the encoding depends on the map's order", "RoundTrip"},
		{"run", "", "no insertion allocates"},
		{"run", "an insertion allocates", "no insertion allocates"},
		{"run", "", "nil receivers and arguments of Merge"},
		{"run", "merging nil does nothing", "nil receivers and arguments of Merge"},
		{"run", "", "zero receivers and arguments of Merge"},
		{"run", "a zero receiver is incompatible", "zero receivers and arguments of Merge"},
		{"run", "methods are not declared", "every method is declared"},
		{"set", "", ""},
		{"set", "a key is lost", "every key is found"},
		{"set", "the second way adds a key", "the same set gives the same bytes"},
		{"set", "the number of copies shows", "the same set gives the same bytes"},
		{"set", "the family is not compared", "another family gives another structure"},
		{"set", "strings are cut at 4 bytes", "all forms of query"},
		{"set", "AppendBinary overwrites", "encoding round-trips"},
		{"set", "all sets are equal", "structures are equal if"},
		{"set", "checksums are ignored", "damage is detected"},
		{"set", "reserved bytes are ignored", "a changed frame with correct checksums"},
		{"set", "numbers are trusted", "a changed frame with correct checksums"},
		{"set", "ReadFrom reads ahead", "a stream can hold several frames"},
		{"set", noVerify, "views give the answers"},
		{"set", "the payload is read with the parameters", "parameters are read"},
		{"set", "damaged text is ignored", "text round-trips"},
		{"set", "a query allocates", "no query allocates"},
		{"set", "checksums are ignored", "every truncation and every flipped bit"},
		{"set", "reserved bytes are ignored", "no bit of a frame is ignored"},
		{"set", "the encoding has changed", "golden files"},
		{"set", "a failed read resets", "a read that fails"},
		{"set", "an error of the stream is damage", "a read that fails"},
		{"set", "a read of no bytes is the end", "streams may return"},
		{"set", "unwritten bytes are counted", "a write that fails"},
		{"set", "short writes are ignored", "a write that fails"},
		{"set", tooLarge, "hostile frames"},
		{"set", "a nil set has a text", "nil receivers"},
		{"set", "the key is printed", "no output shows the key"},
		{"set", "a method is not declared", "every method is declared"},
	} {
		t.Run(c.structure+" "+c.defect+" "+c.property, func(t *testing.T) {
			t.Parallel()
			if c.defect == tooLarge && !conformance.CanLimitMemory {
				t.Skip("memory is not limited here")
			}
			if c.defect == noVerify && !haveViews(t) {
				t.Skip("there are no views here")
			}
			cmd := exec.Command(os.Args[0], "-test.v", "-test.run=^TestOneDefect$/^"+c.property,
				"-rapid.seed=1", "-rapid.nofailfile", "-rapid.shrinktime=1ms")
			cmd.Env = append(os.Environ(), variable+"="+c.structure+":"+c.defect)
			out, err := cmd.CombinedOutput()
			if c.defect == "" {
				require.NoError(t, err, "%s", out)
				require.Contains(t, string(out), "--- PASS: TestOneDefect/")
				return
			}
			require.Error(t, err, "the suite passed:\n%s", out)
			require.Contains(t, string(out), "--- FAIL: TestOneDefect/"+strings.ReplaceAll(c.property, " ", "_"))
		})
	}
}

// skipIfNoProcesses skips a test if it cannot start itself: in WebAssembly, and
// in an emulator of another processor.
func skipIfNoProcesses(t *testing.T) {
	err := exec.Command(os.Args[0], "-test.run=^$").Run()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOEXEC) {
		t.Skip("this platform starts no processes:", err)
	}
	require.NoError(t, err)
}

// haveViews reports whether this build has views.
func haveViews(t *testing.T) bool {
	b, err := sets("").Golden[0].Build().MarshalBinary()
	require.NoError(t, err)
	_, err = bloom.NewView(b, hashfam.Family{})
	return !errors.Is(err, errors.ErrUnsupported)
}
