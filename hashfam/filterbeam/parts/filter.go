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

var errs = &fault.Maker{Package: "parts"}

// A Filter queries a filter that is stored in parts. Use [Open] to create one.
// It may be used concurrently, and must not be copied.
type Filter struct {
	files  fs.FS
	folder string
	family hashfam.Family
	index  index.Index

	slots []slot // one for each part
}

// A slot contains a part after it has been read.
type slot struct {
	mu   sync.Mutex // held while the part is read or forgotten
	part atomic.Pointer[filter]
}

// A filter is a part of any type.
type filter interface {
	io.ReaderFrom
	ContainsDigest(hashfam.Digest) bool
}

// Open returns the filter whose index is the named file in the file system
// files, for example an os.DirFS. It reads the index but no parts. fam must be
// the family with which the filter was built.
//
// Open returns [hashfam.ErrCorrupt] if the index is damaged,
// [hashfam.ErrVersion] if it was written by a later version of the library,
// [hashfam.ErrFamily] if the filter was built with another family, and the
// errors of the file system.
func Open(files fs.FS, name string, fam hashfam.Family) (*Filter, error) {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	x, err := index.Parse(data)
	if x.Version > 1 {
		return nil, errs.Field(hashfam.ErrVersion, "Version", x.Version, "1, for this version of the library")
	}
	if err != nil {
		return nil, errs.Field(hashfam.ErrCorrupt, name, err, "an index as it was written")
	}
	if x.Check != fam.CheckValue() {
		return nil, errs.Field(hashfam.ErrFamily, "check value of the family", fmt.Sprintf("%x", fam.CheckValue()), fmt.Sprintf("%x", x.Check))
	}
	return &Filter{files: files, folder: path.Dir(name), family: fam, index: x, slots: make([]slot, len(x.Parts))}, nil
}

// Parts returns the number of parts.
func (f *Filter) Parts() int { return len(f.slots) }

// Part returns the number of the part for a key's digest, d.Shard(f.Parts()).
// When the parts are on several servers, this is the server to query.
func (f *Filter) Part(d hashfam.Digest) int { return d.Shard(len(f.slots)) }

// File returns a part's file name, relative to the file system passed to
// [Open]. It returns "" if the part has no keys or does not exist. The file is
// a frame, so unless it contains a counting filter, it can be mapped into
// memory, using NewView of package bloom, cuckoo or static.
func (f *Filter) File(part int) string {
	if part < 0 || part >= len(f.slots) || f.index.Parts[part].Name == "" {
		return ""
	}
	return path.Join(f.folder, f.index.Parts[part].Name)
}

// Contains reports whether key may be in the filter. If it returns false, key
// is certainly not in the filter. When a part is queried for the first time,
// its whole file is read into memory and verified.
//
// If the file differs from the one that the job wrote, Contains returns
// [hashfam.ErrCorrupt] or, if it is a frame of another version or family with
// the same length, [hashfam.ErrVersion] or [hashfam.ErrFamily]. It also returns
// the errors of the file system. After an error, the next query of that part
// reads the file again. If another job has replaced the filter since [Open],
// its files may be gone, and the filter must be opened again.
func (f *Filter) Contains(key []byte) (bool, error) { return f.ContainsDigest(f.family.Sum(key)) }

// ContainsString is like [Filter.Contains] for a string key.
func (f *Filter) ContainsString(key string) (bool, error) {
	return f.ContainsDigest(f.family.SumString(key))
}

// ContainsDigest is like [Filter.Contains] for a key's digest, which must be
// computed by the filter's family.
func (f *Filter) ContainsDigest(d hashfam.Digest) (bool, error) {
	part, err := f.part(f.Part(d))
	if err != nil || part == nil {
		return false, err
	}
	return part.ContainsDigest(d), nil
}

// Forget drops a part from memory. The next query of the part will read its
// file again.
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

// read reads a part's file. It checks the file's length first.
func (f *Filter) read(i int) (filter, error) {
	p := f.index.Parts[i]
	name := f.File(i)
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
		return nil, errs.Field(hashfam.ErrCorrupt, "length of "+name, info.Size(), fmt.Sprint(p.Bytes))
	}
	r := &summedFile{file: file, left: p.Bytes}
	n, err := part.ReadFrom(r)
	if err != nil {
		return nil, fmt.Errorf("parts: %s: %w", name, err)
	}
	if n != p.Bytes {
		return nil, errs.Field(hashfam.ErrCorrupt, "length of the frame in "+name, n, fmt.Sprint(p.Bytes))
	}
	if r.crc != p.CRC {
		return nil, errs.Field(hashfam.ErrCorrupt, "checksum of "+name, fmt.Sprintf("%08x", r.crc), fmt.Sprintf("%08x", p.CRC))
	}
	return part, nil
}

// receiver returns an empty filter, to decode a part into.
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
	return nil, errs.Field(hashfam.ErrCorrupt, "kind of the index", f.index.Kind, "bloom, counting, cuckoo or static")
}

// A summedFile computes the CRC-32 of the bytes that are read from a file.
type summedFile struct {
	file io.Reader
	left int64
	crc  uint32
}

func (r *summedFile) Read(p []byte) (int, error) {
	n, err := r.file.Read(p)
	r.left -= int64(n)
	r.crc = crc32.Update(r.crc, index.Table, p[:n])
	return n, err
}

// Len returns the number of bytes that are left, so that a decoder can allocate
// its memory at once.
func (r *summedFile) Len() int { return int(min(max(r.left, 0), math.MaxInt)) }

// String describes f in one line.
func (f Filter) String() string {
	return fmt.Sprintf("parts.Filter(%s, parts: %d, family: %v)", f.index.Kind, f.Parts(), f.family)
}

// Format prints the result of String for every verb.
func (f Filter) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// LogValue returns the result of String for package log/slog.
func (f Filter) LogValue() slog.Value { return slog.StringValue(f.String()) }

// MarshalText returns an error, since a Filter is encoded in the files that
// [Open] reads. Without this method, encoding/json would encode it as {}.
func (f Filter) MarshalText() ([]byte, error) {
	return nil, errs.Errorf("a Filter cannot be encoded, because its files are its encoding: %w", errors.ErrUnsupported)
}
