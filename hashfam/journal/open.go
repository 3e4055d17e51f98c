package journal

import (
	"io"
	"os"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/block"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/replace"
)

// Open restores a structure from the named file into of. If there is no such
// file, or if it is empty, Open writes the structure to a new one. If
// [hashfam.WriteFile] has written the file, Open restores the structure and
// then replaces the file with a journal.
//
// As with ReadFrom, the structure gets the parameters that are in the file, so
// compare them with yours. The structure must have the family that the file was
// written with. After an error, do not use the structure.
//
// If the structure has Params, you can check them before Open allocates memory:
// open the file, seek to offset 72, where a journal's encoded structure begins,
// and call ReadParams of the structure's package.
//
// If the part that the last Sync appended is incomplete or damaged, for example
// because a crash interrupted Sync, Open cuts it off. Open also removes the
// temporary files of an interrupted hashfam.WriteFile or journal with this
// name. If anything else is damaged, Open returns hashfam.ErrCorrupt and does
// not change the file.
//
// Open returns [ErrInUse] if another Journal, in this process or another one,
// uses the file. This check does not work on aix, js, plan9, solaris and
// wasip1, or in file systems without locks. Open returns hashfam.ErrFamily or
// hashfam.ErrVersion as ReadFrom does, and an error that matches
// errors.ErrUnsupported if the structure has no AddAll for digests.
func Open(name string, of Structure) (*Journal, error) {
	if of == nil {
		return nil, errs.Field(hashfam.ErrParams, "of", nil, "a structure")
	}
	if p, ok := of.(parts); ok && p.count() == 0 {
		return nil, errs.Field(hashfam.ErrParams, "of", "no shards", "an Of made with New or Read")
	}
	j := &Journal{name: name, of: of, check: of.Family().CheckValue(), fsync: (*os.File).Sync, limit: limitFor(0)}
	j.disk.free.L = &j.disk.mu
	j.parts, _ = of.(parts)
	for op := block.Add; op <= block.Advance; op++ {
		j.able[op] = ability(of, op)
	}
	if err := j.able[block.Add]; err != nil {
		return nil, err
	}
	if err := j.open(); err != nil {
		return nil, err
	}
	return j, nil
}

// open opens the file, and reads the structure from it or writes it to a new
// one.
func (j *Journal) open() error {
	var err error
	if j.file, err = openLast(j.name); err != nil {
		return err
	}
	err = j.read()
	if err != nil {
		err = inFile(j.name, err)
	} else if err = replace.RemoveTemporary(j.name); err == nil && j.whole {
		err = j.Save(0)
	}
	if err != nil {
		j.file.Close()
	}
	return err
}

// openLast opens or creates a file and locks it. If another process replaced
// the file before it was locked, openLast opens the new one.
func openLast(name string) (*os.File, error) {
	for {
		file, err := openLocked(name, os.O_RDWR|os.O_CREATE)
		if err != nil {
			return nil, err
		}
		if sameFile(file, name) {
			return file, nil
		}
		file.Close()
	}
}

// sameFile reports whether name is the name of an open file.
func sameFile(f *os.File, name string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(name)
	return err == nil && os.SameFile(a, b)
}

// read restores the structure from the file. If the file is not a journal yet,
// a new file is needed.
func (j *Journal) read() error {
	info, err := j.file.Stat()
	if err != nil {
		return err
	}
	first := make([]byte, frame.MaxHeader)
	n, err := j.file.ReadAt(first, 0)
	if err != nil && err != io.EOF {
		return err
	}
	if n == 0 {
		j.whole = true
		return nil
	}
	if h, err := frame.Identify(first[:n]); err == nil && h.Kind != frame.Journal {
		j.whole = true
		return j.readStructure()
	}
	if err := block.ReadStart(j.file, j.check, errs); err != nil {
		return err
	}
	if _, err := j.of.ReadFrom(j.file); err != nil {
		return err
	}
	if j.begin, err = j.file.Seek(0, io.SeekCurrent); err != nil {
		return err
	}
	return j.readBlocks(info.Size())
}

// readStructure reads a file that contains only the structure.
func (j *Journal) readStructure() error {
	if _, err := j.of.ReadFrom(j.file); err != nil {
		return err
	}
	n, err := j.file.Read(make([]byte, 1))
	if n > 0 {
		return errs.Field(hashfam.ErrCorrupt, "file", "longer", "nothing after the structure")
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// readBlocks repeats the changes in the blocks, and cuts off an interrupted
// block.
func (j *Journal) readBlocks(size int64) error {
	end, err := block.Scan(j.file, j.begin, size, j.check, errs, func(b block.Block) error {
		return j.apply(b.Words)
	})
	if err != nil {
		return err
	}
	if end.At < size {
		if err := j.file.Truncate(end.At); err != nil {
			return err
		}
	}
	j.end = end
	j.durable = end.Position
	j.limit = limitFor(j.begin)
	return j.file.Sync() // the last block may be complete without being durable
}

// limitFor returns the length that the blocks of a file can have before a new
// file is due. The blocks begin at the given offset. Tests change limitFor.
var limitFor = func(begin int64) int64 { return max(begin, 1<<20) }
