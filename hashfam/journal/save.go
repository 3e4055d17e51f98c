package journal

import (
	"io"
	"os"
	"runtime"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/block"
)

// saveInBackground is called when the blocks are long.
func (j *Journal) saveInBackground() {
	if !j.saving.TryLock() {
		return // another goroutine does it
	}
	defer j.saving.Unlock()
	if err := j.saveUnless(j.blocksAreShort); err != nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.failure = err
	}
}

// blocksAreShort reports whether no new file is due.
func (j *Journal) blocksAreShort() bool { return j.end.At-j.begin <= j.limit }

// save writes a new file, unless done reports that this is no longer needed.
func (j *Journal) save(done func() bool) error {
	j.saving.Lock()
	defer j.saving.Unlock()
	return j.saveUnless(done)
}

// saveUnless is called while saving is locked. After Close, it must not write a
// file, which may have another owner.
func (j *Journal) saveUnless(done func() bool) error {
	j.disk.take(always)
	needless := done()
	j.disk.pass(0)
	switch {
	case j.closed:
		return os.ErrClosed
	case needless:
		return nil
	}
	return j.rewrite()
}

// closeFirst is true where an open file cannot be replaced. Then the old file
// is closed before the new one gets its name, and the new one is opened
// afterwards. Tests do this on other systems, too; it has been compiled for
// Windows, but not run there.
var closeFirst = runtime.GOOS == "windows"

// rewrite writes a new file, in these steps:
//
//  1. It begins to collect what is recorded from now on.
//  2. WriteFile calls snapshot.WriteTo, which writes the structure and syncs
//     it. Meanwhile, other goroutines can append blocks to the old file.
//  3. WriteTo takes the disk, so that no block can be appended any more, and
//     writes a block with those of the collected records that the structure
//     does not contain.
//  4. WriteFile gives the file its name.
//  5. The journal uses the new file, or keeps the old one after an error, and
//     passes on the disk.
func (j *Journal) rewrite() error {
	if err := j.beginRecent(); err != nil {
		return err
	}
	s := &snapshot{j: j}
	err := hashfam.WriteFile(j.name, s)
	switch {
	case !s.holds: // it failed before step 3
		j.disk.take(always)
	case closeFirst:
		err = s.reopen(err)
	}
	served := j.finish(s, err)
	j.disk.pass(served)
	return err
}

// finish is called with the error of WriteFile or reopen. It adopts the new
// file, or abandons it if the journal cannot use it, and returns the last
// request that is now served.
func (j *Journal) finish(s *snapshot, err error) (served uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.recent = nil
	switch {
	case err == nil:
		j.adopt(s)
		j.durable = s.end.Position
		return s.requests
	case s.file != nil && sameFile(s.file, j.name): // only syncing the folder failed
		j.adopt(s)
		j.whole = true
	default:
		s.abandon()
	}
	return 0 // no further one
}

// beginRecent begins to collect the changes that the new file may not contain.
// These can include the current time: a shard that had not been advanced when
// it was written may be advanced before its next key is added.
func (j *Journal) beginRecent() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.refused != nil {
		return j.refused
	}
	j.recent = &block.Recorder{}
	if j.timed {
		j.recent.Add(block.Advance, uint64(j.now))
	}
	return nil
}

// adopt makes the new file the journal's file.
func (j *Journal) adopt(s *snapshot) {
	j.file.Close()
	j.file = s.file
	j.begin = s.begin
	j.end = s.end
	j.limit = limitFor(s.begin)
}

// A snapshot writes a new file. This consists of a start, the structure, and a
// block with everything that was recorded after the structure was written. If
// there were no start, the structure's ReadFrom would accept the file, but
// ignore the block.
type snapshot struct {
	j        *Journal
	file     *os.File // will be the journal's file
	holds    bool     // the disk, which is released after WriteFile has returned
	begin    int64
	end      block.End
	requests uint64 // the last request that the file serves
}

// WriteTo is called by WriteFile with the temporary file. The file is locked
// before it gets its name, so no other process can be first.
func (s *snapshot) WriteTo(w io.Writer) (int64, error) {
	temporary := w.(*os.File)
	if !closeFirst {
		var err error
		if s.file, err = openLocked(temporary.Name(), os.O_RDWR); err != nil {
			return 0, err
		}
	}
	begin, cuts, err := s.writeStructure(temporary)
	if err == nil {
		err = s.j.fsync(temporary) // while blocks can still be appended to the old file
	}
	if err != nil {
		return begin, err
	}
	place, err := block.AfterStructure(temporary, begin)
	if err != nil {
		return begin, err
	}
	s.j.disk.take(always)
	s.holds = true
	n, err := temporary.Write(s.firstBlock(begin, cuts, place))
	if closeFirst {
		s.j.file.Close()
	}
	return begin + int64(n), err
}

// writeStructure writes the start and the structure. It returns their length
// and how many of the recent words each shard contains.
func (s *snapshot) writeStructure(w *os.File) (begin int64, cuts []int, err error) {
	n, err := w.Write(block.Block{}.Append(nil, s.j.check))
	if err != nil {
		return int64(n), nil, err
	}
	if s.j.parts == nil {
		begin, err = s.j.of.WriteTo(w)
		return int64(n) + begin, []int{0}, err
	}
	cuts = make([]int, s.j.parts.count())
	begin, err = s.j.parts.writeShards(w, func(shard int) {
		s.j.mu.Lock()
		defer s.j.mu.Unlock()
		cuts[shard] = len(s.j.recent.Words)
	})
	return int64(n) + begin, cuts, err
}

// firstBlock returns the block that follows the structure.
func (s *snapshot) firstBlock(begin int64, cuts []int, place uint64) []byte {
	j := s.j
	j.mu.Lock()
	defer j.mu.Unlock()
	b := block.Block{Position: j.wanted, Previous: place, Words: without(j.recent.Words, cuts)}
	encoded := b.Append(nil, j.check)
	s.begin = begin
	s.end = block.End{At: begin + int64(len(encoded)), Place: block.After(encoded), Position: b.Position}
	s.requests = j.requests
	j.pending = block.Recorder{}
	j.whole = false
	return encoded
}

// without returns the records in words that are not in a new file yet. Shard i
// contains the words before cuts[i].
func without(words []uint64, cuts []int) []uint64 {
	var left block.Recorder
	block.EachRun(words, errs, func(op block.Op, at int, run []uint64) error {
		for i, w := range run {
			if op == block.Advance || at+i >= cuts[hashfam.Digest(w).Shard(len(cuts))] {
				left.Add(op, w)
			}
		}
		return nil
	})
	return left.Words
}

// reopen opens the file with the journal's name after WriteFile has returned
// err, because the old file was closed before. There are three cases:
//
//	WriteFile  opening
//	succeeded  succeeded  finish adopts the new file
//	succeeded  failed     finish abandons it, and the journal's file stays closed
//	failed     either     finish abandons it, and the journal uses the old file
//	                      again if that could be opened
//
// If only syncing the folder failed, the file in the last case is the new one.
// After finish has abandoned a file, no block is appended to the journal's
// file, whether it is open or not, because the next Sync writes a new file.
func (s *snapshot) reopen(err error) error {
	file, failed := openLocked(s.j.name, os.O_RDWR)
	switch {
	case err == nil:
		s.file = file
		return failed
	case failed == nil:
		s.j.file = file
	}
	return err
}

// abandon is called when the journal cannot use the new file, because it has
// not replaced the old one, or because reopen could not open it. Since the disk
// may be full, the next try waits until the blocks are twice as long, unless
// firstBlock has dropped what was pending: then the next Sync is the next try.
func (s *snapshot) abandon() {
	s.j.limit = max(s.j.limit, 2*(s.j.end.At-s.j.begin))
	s.j.whole = s.j.whole || s.holds // once it holds the disk, it calls firstBlock
	if s.file != nil {
		s.file.Close()
	}
}
