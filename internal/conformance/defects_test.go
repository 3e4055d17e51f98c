package conformance_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

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
	return f.Filter.Merge(g.Filter)
}

func (f *defective) UnmarshalBinary(b []byte) error {
	err := f.Filter.UnmarshalBinary(b)
	switch {
	case f.defect == "a failed decode resets" && err != nil:
		f.Reset()
	case f.defect == "trailing bytes are ignored" && err != nil && len(b) > 0:
		return f.Filter.UnmarshalBinary(b[:len(b)-1])
	case f.defect == "decoding takes the claimed memory" && err != nil:
		_ = make([]byte, 16<<20)
	}
	return err
}

func suite(defect string) conformance.Suite[*defective] {
	is := func(d string) bool { return defect == d }
	s := conformance.Suite[*defective]{
		Fresh: func(t *rapid.T, fam hashfam.Family) *defective {
			f, err := bloom.NewFromParams(bloom.Params{Bits: 4096, Hashes: 4, Family: fam})
			require.NoError(t, err)
			return &defective{f, defect}
		},
		Like: func(f *defective) *defective {
			g := f.Filter.Clone()
			g.Reset()
			return &defective{g, defect}
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
			f.Add(key)
			return nil
		},
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
		Has: func(f *defective, key []byte) bool {
			if is("a read writes") {
				f.AddString("read")
			}
			return f.Contains(key)
		},
		HasString: func(f *defective, key string) bool { return f.ContainsString(key) },
		HasDigest: func(f *defective, d hashfam.Digest) bool { return f.ContainsDigest(d) },
		HasAll: func(f *defective, dst []bool, keys [][]byte) []bool {
			return f.ContainsAll(dst, keys)
		},
		Reads:     func(*defective) {},
		ClaimHuge: func(params []byte) uint64 { params[5] = 1; return 1<<37 + 512 },
		Golden: []conformance.Golden[*defective]{{File: "none", Build: func() *defective {
			return suite("").Fresh(nil, hashfam.Family{})
		}}},
	}
	return s
}

// TestOneDefect runs the suite on the structure that the environment names. It
// is run by TestTheSuiteRejectsEveryDefect, in a process of its own.
func TestOneDefect(t *testing.T) {
	defect, set := os.LookupEnv("FILTERFAM_DEFECT")
	if !set {
		t.Skip("run by TestTheSuiteRejectsEveryDefect")
	}
	s := suite(defect)
	for name, check := range map[string]func(*rapid.T){
		"Membership": s.Membership, "KeyForms": s.KeyForms, "EmptyKey": s.EmptyKey,
		"MergeIsJointBuild": s.MergeIsJointBuild, "CloneAndReset": s.CloneAndReset,
		"RoundTrip": s.RoundTrip, "Damage": s.Damage, "LyingLength": s.LyingLength,
		"WrongFamily": s.WrongFamily, "Streams": s.Streams, "PureReads": s.PureReads,
	} {
		t.Run(name, func(t *testing.T) { rapid.Check(t, check) })
	}
}

func TestTheSuiteRejectsEveryDefect(t *testing.T) {
	run := func(defect string) ([]byte, error) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestOneDefect$", "-rapid.nofailfile", "-rapid.shrinktime=1ms")
		cmd.Env = append(os.Environ(), "FILTERFAM_DEFECT="+defect)
		return cmd.CombinedOutput()
	}
	out, err := run("")
	require.NoError(t, err, "%s", out)
	for _, defect := range []string{
		"clones share their bits",
		"merge intersects",
		"a failed merge resets",
		"a failed decode resets",
		"trailing bytes are ignored",
		"decoding takes the claimed memory",
		"the family is not checked",
		"the empty key is dropped",
		"strings are cut at 64 bytes",
		"batches drop their last key",
		"a read writes",
	} {
		t.Run(defect, func(t *testing.T) {
			out, err := run(defect)
			require.Error(t, err, "the suite passed:\n%s", out)
			require.NotContains(t, string(out), "no tests to run")
		})
	}
}
