package parts

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"path"
	"sync"
	"sync/atomic"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/index"
	"github.com/filterfam/filterfam/internal/fault"
)

// The reasons for errors, to test with errors.Is. They have the same values in
// every package of filterfam.
var (
	ErrCorrupt = hashfam.ErrCorrupt // the index or a part is damaged, or a part is of another build
	ErrFamily  = hashfam.ErrFamily  // the filter was built under another hash family
	ErrVersion = hashfam.ErrVersion // a later version of this package wrote the index
)

// A FieldError is an error about one field. Its fields are documented in
// package hashfam. Get it from an error with errors.As.
type FieldError = hashfam.FieldError

var errs = &fault.Maker{Package: "parts"}

// A Filter answers queries from the parts of a filter. Make one with [Open].
// Several goroutines may use it at the same time. It must not be copied.
type Filter struct {
	files  fs.FS
	folder string
	family hashfam.Family
	index  index.Index

	slots []slot // one for each part
}

// A slot holds a part, once it has been asked for.
type slot struct {
	mu   sync.Mutex // of those who read its file, and forget it
	part atomic.Pointer[filter]
}

// A filter is one of any kind.
type filter interface {
	io.ReaderFrom
	ContainsDigest(hashfam.Digest) bool
}

// Open returns the filter whose index is the file name of files, for example of
// os.DirFS. It reads the index and no part. The keys were hashed by fam.
//
// It returns [ErrCorrupt] if the index is damaged, [ErrVersion] if a later
// version of this package wrote it, [ErrFamily] if the filter was built under
// another family, and the errors of files. O(parts) time and memory.
func Open(files fs.FS, name string, fam hashfam.Family) (*Filter, error) {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	x, err := index.Parse(data)
	if x.Version > 1 {
		return nil, errs.Field(ErrVersion, "Version", x.Version, "1, for this version of the library")
	}
	if err != nil {
		return nil, errs.Field(ErrCorrupt, name, err, "an index as it was written")
	}
	if x.Check != fam.CheckValue() {
		return nil, errs.Field(ErrFamily, "check value of the family", fmt.Sprintf("%x", fam.CheckValue()), fmt.Sprintf("%x", x.Check))
	}
	return &Filter{files: files, folder: path.Dir(name), family: fam, index: x, slots: make([]slot, len(x.Parts))}, nil
}

// Parts returns the number of parts. O(1) time.
func (f *Filter) Parts() int { return len(f.slots) }

// Part returns the number of the part that has the keys with digest d,
// d.Shard(f.Parts()): that of the server to ask. O(1) time.
func (f *Filter) Part(d hashfam.Digest) int { return d.Shard(len(f.slots)) }

// File returns the name of a part's file, relative to the file system given to
// [Open], or "" if the part has no keys or no such part exists. The file is a
// frame, which you can also map into memory and give to NewView of the package
// of the structure. O(1) time.
func (f *Filter) File(part int) string {
	if part < 0 || part >= len(f.slots) || f.index.Parts[part].Name == "" {
		return ""
	}
	return path.Join(f.folder, f.index.Parts[part].Name)
}

// Contains reports whether key may be in the filter; false is certain. O(1)
// time, except for the first query of a part, which reads its file into memory
// and checks it.
//
// It returns [ErrCorrupt] if the file is not the one that the job wrote, and
// the errors of the file system. Then the next query of that part reads the
// file again. If a job has replaced the filter since [Open], its files may be
// gone: open it again.
func (f *Filter) Contains(key []byte) (bool, error) { return f.ContainsDigest(f.family.Sum(key)) }

// ContainsString is [Filter.Contains] for a string.
func (f *Filter) ContainsString(key string) (bool, error) {
	return f.ContainsDigest(f.family.SumString(key))
}

// ContainsDigest is [Filter.Contains] for a key already hashed by the family of
// f.
func (f *Filter) ContainsDigest(d hashfam.Digest) (bool, error) {
	part, err := f.part(f.Part(d))
	if err != nil || part == nil {
		return false, err
	}
	return part.ContainsDigest(d), nil
}

// Forget drops a part from memory. The next query of it reads its file again.
// O(1) time.
func (f *Filter) Forget(part int) {
	if part >= 0 && part < len(f.slots) {
		s := &f.slots[part]
		s.mu.Lock()
		defer s.mu.Unlock()
		s.part.Store(nil)
	}
}

// part returns a part, or nil if it has no keys.
func (f *Filter) part(i int) (filter, error) {
	if f.index.Parts[i].Name == "" {
		return nil, nil
	}
	s := &f.slots[i]
	if p := s.part.Load(); p != nil {
		return *p, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.part.Load(); p != nil {
		return *p, nil
	}
	p, err := f.read(i)
	if err == nil {
		s.part.Store(&p)
	}
	return p, err
}

// read reads the file of a part. It looks at the length before it reads.
func (f *Filter) read(i int) (filter, error) {
	p, name := f.index.Parts[i], f.File(i)
	part, err := f.receiver()
	if err != nil {
		return nil, err
	}
	file, err := f.files.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() != p.Bytes {
		return nil, errs.Field(ErrCorrupt, "length of "+name, info.Size(), fmt.Sprint(p.Bytes))
	}
	r := &reader{file: file, left: p.Bytes}
	n, err := part.ReadFrom(r)
	if err != nil {
		return nil, fmt.Errorf("parts: %s: %w", name, err)
	}
	if n != p.Bytes || r.crc != p.CRC {
		return nil, errs.Field(ErrCorrupt, "checksum of "+name, fmt.Sprintf("%08x", r.crc), fmt.Sprintf("%08x", p.CRC))
	}
	return part, nil
}

// receiver returns an empty filter to decode a part into.
func (f *Filter) receiver() (filter, error) {
	switch f.index.Kind {
	case "bloom":
		return bloom.NewReceiver(f.family), nil
	case "counting":
		return counting.NewReceiver(f.family), nil
	case "cuckoo":
		return cuckoo.NewReceiver(f.family), nil
	case "static":
		return static.NewReceiver(f.family), nil
	}
	return nil, errs.Field(ErrCorrupt, "kind of the index", f.index.Kind, "bloom, counting, cuckoo or static")
}

// A reader reads a file, computes its CRC-32, and tells how much of it is left,
// so that decoding allocates once.
type reader struct {
	file io.Reader
	left int64
	crc  uint32
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.file.Read(p)
	r.left -= int64(n)
	r.crc = crc32.Update(r.crc, index.Table, p[:n])
	return n, err
}

// Len returns the number of bytes left.
func (r *reader) Len() int { return int(min(max(r.left, 0), math.MaxInt)) }

// String describes f in one line, without the key. O(1) time.
func (f Filter) String() string {
	return fmt.Sprintf("parts.Filter(%s, parts: %d, family: %v)", f.index.Kind, f.Parts(), f.family)
}

// Format prints [Filter.String] for every verb and flag, like
// [hashfam.Family.Format].
func (f Filter) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// LogValue returns [Filter.String].
func (f Filter) LogValue() slog.Value { return slog.StringValue(f.String()) }

// MarshalText returns an error: the files that [Open] reads are the encoding of
// f. Without this method, encoding/json would store {}.
func (f Filter) MarshalText() ([]byte, error) {
	return nil, errs.Errorf("a Filter cannot be encoded, its files are its encoding: %w", errors.ErrUnsupported)
}
