package conformance_test

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

func newBag(defect string) func(params) (*bag, error) {
	return func(p params) (*bag, error) {
		if p.Room == 0 || p.Room > 1000 {
			return nil, errs.Field(hashfam.ErrParams, "Params.Room", p.Room, "1 to 1000")
		}
		return &bag{reader{p, make([]uint64, 0, 2*p.Room), defect}}, nil
	}
}

// bags declares bags with a defect.
func bags(defect string) conformance.Suite[*bag] {
	return conformance.Suite[*bag]{
		Source: conformance.From(func(t *rapid.T) params {
			return params{Room: rapid.Uint64Range(1, 60).Draw(t, "room")}
		}, newBag(defect)),
		Canonical: func(*bag) bool { return true },
		Receiver: func(fam hashfam.Family) *bag {
			if defect == "the family is not checked" {
				fam = hashfam.Family{}
			}
			return &bag{reader{params{Family: fam}, nil, defect}}
		},
		ClaimHuge: func(params []byte) uint64 {
			binary.LittleEndian.PutUint64(params, 1<<63)
			binary.LittleEndian.PutUint64(params[8:], 1<<33)
			return 1 << 37
		},
		ReadParams: conformance.Reader(func(r io.Reader, fam hashfam.Family) (params, error) {
			if defect == "the payload is read with the parameters" {
				defer io.ReadAll(r)
			}
			c, err := layout.ReadHeader(r, fam)
			return c.params, err
		}),
		View: conformance.Viewer[*bag](viewOf(defect)),
		Golden: []conformance.Golden[*bag]{{File: "bag.bin", Build: func() *bag {
			b := &bag{reader{params{Room: 20}, nil, defect}}
			for _, key := range []string{"a", "b", "c", "a"} {
				b.put(hashfam.Family{}.SumString(key), 1)
			}
			if defect == "the encoding has changed" {
				b.put(1, 1)
			}
			return b
		}}},
	}
}

// variable names the environment variable for TestOneDefect. Its value is a
// structure, a colon and the structure's defect.
const variable = "FILTERFAM_DEFECT"

// TestOneDefect runs the suite on the structure that the environment variable
// names. TestTheSuiteRejectsEveryDefect runs it in a process of its own.
func TestOneDefect(t *testing.T) {
	structure, defect, _ := strings.Cut(os.Getenv(variable), ":")
	switch structure {
	case "bag":
		bags(defect).Run(t)
	case "reordered": // its place is not known before it is empty
		s := bags(defect)
		s.Canonical = func(b *bag) bool { return b.Len() == 0 }
		s.Run(t)
	case "tracker":
		trackers(defect).Run(t)
	case "set":
		sets(defect).Run(t)
	case "unknown":
		b := bags("")
		conformance.Suite[*unknown]{Source: conformance.Source[*unknown]{
			Fresh: func(t *rapid.T, fam hashfam.Family) *unknown { return &unknown{*b.Source.Fresh(t, fam)} },
			Like:  func(u *unknown) *unknown { return &unknown{*b.Source.Like(&u.bag)} },
		}}.Run(t)
	default:
		t.Skip("run by TestTheSuiteRejectsEveryDefect")
	}
}

// TestTheSuiteRejectsEveryDefect checks that each defect makes the given
// property fail, and that all properties pass without a defect. The seed is
// fixed.
func TestTheSuiteRejectsEveryDefect(t *testing.T) {
	skipIfNoProcesses(t)
	for _, c := range []struct{ structure, defect, property string }{
		{"bag", "", ""},
		{"bag", "a failed insertion evicts", program},
		{"bag", "a failed insertion inserts", program},
		{"bag", "every copy is deleted", program},
		{"bag", "an absent key is deleted", program},
		{"bag", "clones share their keys", program},
		{"bag", "a clone forgets a key", program},
		{"bag", "Reset keeps a key", program},
		{"bag", "the empty key is dropped", program},
		{"bag", "strings are cut at 64 bytes", program},
		{"bag", "queries cut strings at 4 bytes", program},
		{"bag", "batches drop their last key", program},
		{"bag", "a batch has no answers", program},
		{"bag", "a batch overwrites", program},
		{"bag", "query and insertion only queries", program},
		{"bag", "a key that is found is inserted again", program},
		{"bag", "a merge takes the larger count", program},
		{"bag", "a merge intersects", program},
		{"bag", "a merge empties the argument", program},
		{"bag", "a failed decode resets", program},
		{"bag", "a failed merge resets", differ},
		{"bag", "a failed merge adds some keys", differ},
		{"bag", "a failed merge names no place", differ},
		{"bag", "room is not compared", differ},
		{"bag", "all are equal", "structures are equal if"},
		{"bag", "the family is not compared", differ},
		{"bag", "an insertion allocates", allocation},
		{"bag", "a query allocates", allocation},
		{"bag", "a read writes", "reads are pure"},
		{"bag", "AppendBinary overwrites", program},
		{"bag", "the family is not checked", wrong},
		{"bag", "a later version is decoded", wrong},
		{"bag", "trailing bytes are ignored", everyDamage},
		{"bag", "a failed decode resets", everyDamage},
		{"bag", "checksums are ignored", everyDamage},
		{"bag", "decoding takes the claimed memory", "a claimed length"},
		{"bag", "numbers are trusted", "a claimed length"},
		{"bag", "numbers are trusted", forged},
		{"bag", "reserved bytes are ignored", forged},
		{"bag", "reserved bytes are ignored", everyDamage},
		{"bag", "ReadFrom reads ahead", program},
		{"bag", "a failed read resets", "a read that fails"},
		{"bag", "an error of the stream is damage", "a read that fails"},
		{"bag", "a read of no bytes is the end", program},
		{"bag", "unwritten bytes are counted", "a write that fails"},
		{"bag", "short writes are ignored", "a write that fails"},
		{"bag", "the payload is read with the parameters", "parameters are read"},
		{"bag", "a view is not verified", everyDamage},
		{"bag", "a view forgets", "views and frames give"},
		{"bag", "a decoded view shares memory", "views and frames give"},
		{"bag", "damaged text is ignored", "text round-trips"},
		{"bag", "the key is printed", "no output shows the key"},
		{"bag", "the encoding has changed", "golden files"},
		{"bag", "a zero value is encoded", "a zero value"},
		{"reordered", "", ""},
		{"reordered", "a merge takes the larger count", program},
		{"reordered", "a merge adds a key", program},
		{"reordered", "a merge empties the argument", program},
		{"tracker", "", ""},
		{"tracker", "batches of keys drop their last one", program},
		{"tracker", "a batch of estimates is too low", program},
		{"tracker", "removing does nothing", program},
		{"tracker", "a merge intersects", program},
		{"set", "", ""},
		{"set", "a key is lost", "any program"},
		{"set", "the second way adds a key", "any program"},
		{"set", "the number of copies shows", "any program"},
		{"set", "the family is not compared", "structures are equal if"},
		{"set", "queries cut strings at 4 bytes", "any program"},
		{"set", "all are equal", "structures are equal if"},
		{"unknown", "a method is in no known form", "every form of a key"},
	} {
		t.Run(c.structure+" "+c.defect+" "+c.property, func(t *testing.T) {
			t.Parallel()
			if strings.Contains(c.defect, "view") && !haveViews() {
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

// Properties that find many defects.
const (
	program     = "any program does what it does to a multiset"
	differ      = "structures that differ in one parameter"
	wrong       = "another version, kind or family is an error"
	allocation  = "no query and no insertion allocates"
	forged      = "a changed frame with correct checksums"
	everyDamage = "every truncation and every flipped bit"
)

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
func haveViews() bool {
	b, _ := bags("").Golden[0].Build().MarshalBinary()
	_, err := viewOf("")(b, hashfam.Family{})
	return !errors.Is(err, errors.ErrUnsupported)
}

// An unknown bag has a method that takes keys in a form that the suite does not
// know.
type unknown struct{ bag }

func (u *unknown) Equal(o *unknown) bool               { return u.equal(&o.reader) }
func (u *unknown) AddSeq(keys func(func([]byte) bool)) {}
