package conformance_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// A set is a Bloom filter that is built from keys and does not change. It has
// at most one defect.
type set struct {
	f      *bloom.Filter
	defect string
}

func (s *set) is(defect string) bool { return s != nil && s.defect == defect }

// filter returns the filter, which is nil if s is.
func (s *set) filter() *bloom.Filter {
	if s == nil {
		return nil
	}
	return s.f
}

func (s *set) Equal(o *set) bool {
	switch {
	case s.is("all sets are equal") && o != nil:
		return true
	case s.is("the family is not compared") && o != nil:
		return s.f.SizeBytes() == o.f.SizeBytes()
	}
	return s.filter().Equal(o.filter())
}

func (s *set) AppendBinary(dst []byte) ([]byte, error) {
	if s == nil {
		return s.filter().AppendBinary(dst)
	}
	if s.is("AppendBinary overwrites") {
		dst = dst[:0]
	}
	return s.f.AppendBinary(dst)
}

func (s *set) MarshalBinary() ([]byte, error) { return s.filter().MarshalBinary() }

func (s *set) UnmarshalBinary(data []byte) error {
	err := s.filter().UnmarshalBinary(data)
	if err == nil || s == nil || len(data) < 64 {
		return err
	}
	b := bytes.Clone(data)
	switch {
	case s.is("checksums are ignored"):
		conformance.Reseal(b)
		return s.f.UnmarshalBinary(b)
	case s.is("reserved bytes are ignored"):
		clear(b[34:40])
		conformance.Reseal(b)
		if s.f.UnmarshalBinary(b) == nil {
			return nil
		}
	case s.is(tooLarge):
		sink = make([]byte, 1<<30)
	case s.is("numbers are trusted") && binary.LittleEndian.Uint64(b[24:]) > 1<<16:
		sink = make([]byte, 16<<20)
	}
	return err
}

func (s *set) WriteTo(w io.Writer) (int64, error) {
	n, err := s.filter().WriteTo(w)
	if s.is("unwritten bytes are counted") && err != nil {
		n = 136
	}
	if s.is("short writes are ignored") && errors.Is(err, io.ErrShortWrite) {
		err = nil
	}
	return n, err
}

func (s *set) ReadFrom(r io.Reader) (int64, error) {
	if s.is("ReadFrom reads ahead") {
		b, err := io.ReadAll(r)
		r = io.MultiReader(bytes.NewReader(b), r)
		if err != nil {
			return int64(len(b)), err
		}
	}
	if s.is("a read of no bytes is the end") {
		r = impatient{r}
	}
	n, err := s.filter().ReadFrom(r)
	switch {
	case s.is("a failed read resets") && err != nil:
		s.f.Reset()
	case s.is("an error of the stream is damage") && err != nil && !errors.Is(err, io.EOF):
		err = fmt.Errorf("%w: %w", bloom.ErrCorrupt, err)
	}
	return n, err
}

// An impatient reader ends at a read that returns nothing.
type impatient struct{ r io.Reader }

func (i impatient) Read(b []byte) (int, error) {
	n, err := i.r.Read(b)
	if n == 0 && err == nil {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (s *set) AppendText(dst []byte) ([]byte, error) { return s.filter().AppendText(dst) }

func (s *set) MarshalText() ([]byte, error) {
	if s == nil && nilHasText {
		return nil, nil
	}
	return s.filter().MarshalText()
}

// nilHasText is a defect of nil sets.
var nilHasText bool

func (s *set) UnmarshalText(text []byte) error {
	err := s.filter().UnmarshalText(text)
	if s.is("damaged text is ignored") && !errors.Is(err, bloom.ErrFamily) {
		return nil
	}
	return err
}

func (s set) MarshalJSON() ([]byte, error) { return s.f.MarshalJSON() }

func (s set) LogValue() slog.Value { return s.f.LogValue() }

func (s set) Format(w fmt.State, _ rune) {
	if s.defect == "the key is printed" {
		fmt.Fprint(w, uint64(0x0706050403020100))
	}
	fmt.Fprint(w, s.f)
}

func (s *set) Contains(key []byte) bool {
	if s.is("a query allocates") {
		sink = make([]byte, 1+len(key))
	}
	return s.f.Contains(key)
}

func (s *set) ContainsString(key string) bool {
	if s.is("strings are cut at 4 bytes") {
		key = key[:min(4, len(key))]
	}
	return s.f.ContainsString(key)
}

func (s *set) ContainsUint64(key uint64) bool { return s.f.ContainsUint64(key) }

// builders returns two ways to build a set.
func builders(defect string) conformance.Builders[*set] {
	return func(t *rapid.T, fam hashfam.Family) []func([][]byte) (*set, error) {
		p := bloom.Params{Bits: uint64(rapid.SampledFrom([]int{4096, 2048}).Draw(t, "bits")), Hashes: 4, Family: fam}
		build := func(keys [][]byte) (*set, error) {
			f, err := bloom.NewFromParams(p)
			if defect == "a key is lost" && len(keys) > 0 {
				keys = keys[1:]
			}
			f.AddAll(keys)
			if defect == "the number of copies shows" && len(keys)%2 == 1 {
				f.AddString("odd")
			}
			return &set{f, defect}, err
		}
		other := func(keys [][]byte) (*set, error) {
			if defect == "the second way adds a key" {
				keys = append(keys, []byte("second"))
			}
			return build(keys)
		}
		return []func([][]byte) (*set, error){build, other}
	}
}

// noVerify is a defect that only shows on platforms with views.
const noVerify = "a view is not verified"

// tooLarge is a defect that only shows if memory is limited.
const tooLarge = "the claimed memory is taken"

func viewOf(defect string) func([]byte, hashfam.Family) (conformance.Viewed[*set], error) {
	return func(data []byte, fam hashfam.Family) (conformance.Viewed[*set], error) {
		plain, err := conformance.ViewOf[*bloom.Filter](bloom.NewView(data, fam))
		if err != nil {
			return conformance.Viewed[*set]{}, err
		}
		viewed := conformance.Viewed[*set]{
			Has: plain.Has, HasString: plain.HasString, HasUint64: plain.HasUint64, HasDigest: plain.HasDigest,
			HasAll: plain.HasAll, HasAllStrings: plain.HasAllStrings,
			HasAllUint64: plain.HasAllUint64, HasAllDigests: plain.HasAllDigests,
			Verify: plain.Verify, JSON: plain.JSON,
			Decode: func() (*set, error) {
				f, err := plain.Decode()
				return &set{f, defect}, err
			},
		}
		if defect == noVerify {
			viewed.Verify = func() error { return nil }
		}
		return viewed, nil
	}
}

func sets(defect string) conformance.Built[*set] {
	nilHasText = defect == "a nil set has a text"
	b := conformance.Built[*set]{
		Encoded: conformance.Encoded[*set]{
			Fresh:     conformance.FromKeys(builders(defect)),
			Receiver:  func(fam hashfam.Family) *set { return &set{bloom.NewReceiver(fam), defect} },
			Has:       (*set).Contains,
			HasString: (*set).ContainsString,
			HasDigest: func(s *set, d hashfam.Digest) bool { return s.f.ContainsDigest(d) },
			HasAll:    func(s *set, dst []bool, keys [][]byte) []bool { return s.f.ContainsAll(dst, keys) },
			HasUint64: (*set).ContainsUint64,
			Reads:     func(*set) {},
			ClaimHuge: func(params []byte) uint64 { params[5] = 1; return binary.LittleEndian.Uint64(params) / 8 },
			View:      viewOf(defect),
			Params:    func(s *set) (any, hashfam.Family) { return s.f.Params(), s.f.Params().Family },
			ReadParams: func(r io.Reader, fam hashfam.Family) (any, error) {
				if defect == "the payload is read with the parameters" {
					defer io.ReadAll(r)
				}
				return bloom.ReadParams(r, fam)
			},
			Golden: []conformance.Golden[*set]{{File: "set.bin", Build: func() *set {
				f, err := bloom.NewFromParams(bloom.Params{Bits: 512, Hashes: 4})
				if err != nil {
					panic(err)
				}
				f.AddString("key")
				if defect == "the encoding has changed" {
					f.AddString("another")
				}
				return &set{f, defect}
			}}},
		},
		Builders: builders(defect),
	}
	if defect == "a method is not declared" {
		b.HasUint64 = nil
	}
	return b
}
