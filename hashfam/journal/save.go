package journal

import (
	"os"
	"runtime"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/block"
	"github.com/filterfam/filterfam/internal/replace"
)

// saveInBackground writes a new file if the blocks are still long. If this
// fails, the next Sync returns the error.
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

// saveUnless is like save, but is called while saving is held. After Close, it
// does not write a file, because another Journal may use this name now.
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

// rewrite writes a new file and makes it the journal's file. It is called while
// saving is held. The other locks are taken in their order: rewrite takes disk,
// and the functions that it calls take mu for a moment.
func (j *Journal) rewrite() error {
	if err := j.beginRecent(); err != nil {
		return err
	}
	s := &snapshot{j: j}
	defer s.discard()
	err := s.writeStructure() // meanwhile, other goroutines can append blocks to the old file
	j.disk.take(always)       // from here on, they cannot
	if err == nil {
		err = s.replaceFile()
	}
	served := j.finish(s, err)
	j.disk.pass(served)
	return err
}

// beginRecent begins to collect the changes that the structure in the new file
// might lack. If a time was recorded, the latest one becomes the first of these
// changes. Without this record, a shard that is written to the file before the
// program advances the shard to this time would lack it, because Advance does
// not record the same time again.
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

// finish is called with the result of writing the new file. It adopts the file,
// or abandons it if the journal cannot use it. It returns the last request that
// the file serves, or 0 after an error.
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
	return 0
}

// adopt makes the new file the journal's file.
func (j *Journal) adopt(s *snapshot) {
	j.file.Close()
	j.file = s.file
	j.begin = s.begin
	j.end = s.end
	j.limit = limitFor(s.begin)
}

// A snapshot is a new file that is being written. It consists of a start, the
// structure, and a first block with all records that the structure may lack.
// Without the start, the structure's ReadFrom would accept the file, but ignore
// the blocks.
type snapshot struct {
	j    *Journal
	new  *replace.New
	file *os.File // the same file, locked, which will be the journal's file

	begin int64  // the length of the start and the structure
	cuts  []int  // how many of the recent words each shard contains
	place uint64 // of the first block

	dropped  bool // firstBlock has dropped the pending words
	end      block.End
	requests uint64 // the last request that the file serves
}

// writeStructure creates the file, writes the start and the structure, and
// syncs them. Unless closeFirst is true, it locks the file while the name is
// still temporary, so that no other process can lock it first.
func (s *snapshot) writeStructure() error {
	var err error
	if s.new, err = replace.Create(s.j.name); err != nil {
		return err
	}
	if !closeFirst {
		if s.file, err = openLocked(s.new.File.Name(), os.O_RDWR); err != nil {
			return s.new.Fail(err)
		}
	}
	if err := s.writeFrames(); err != nil {
		return s.new.Fail(err)
	}
	if err := s.j.fsync(s.new.File); err != nil {
		return s.new.Fail(err)
	}
	s.place, err = block.AfterStructure(s.new.File, s.begin)
	return s.new.Fail(err)
}

// writeFrames writes the start and the structure, and sets begin and cuts.
func (s *snapshot) writeFrames() error {
	start, err := s.new.File.Write(block.Block{}.Append(nil, s.j.check))
	if err != nil {
		return err
	}
	var n int64
	if s.j.parts == nil {
		s.cuts = []int{0}
		n, err = s.j.of.WriteTo(s.new.File)
	} else {
		s.cuts = make([]int, s.j.parts.count())
		n, err = s.j.parts.writeShards(s.new.File, s.cutRecent)
	}
	s.begin = int64(start) + n
	return err
}

// cutRecent is called when a shard is about to be written. The shard already
// contains those of its digests that have been recorded until now.
func (s *snapshot) cutRecent(shard int) {
	s.j.mu.Lock()
	defer s.j.mu.Unlock()
	s.cuts[shard] = len(s.j.recent.Words)
}

// closeFirst is true where an open file cannot be replaced. Then the old file
// is closed before the new one gets its name, and the new one is opened
// afterwards. Tests do this on other systems, too. For Windows, this code was
// compiled, but never run.
var closeFirst = runtime.GOOS == "windows"

// replaceFile writes the first block, and gives the file its name. It is called
// while disk is held.
func (s *snapshot) replaceFile() error {
	if _, err := s.new.File.Write(s.firstBlock()); err != nil {
		return s.new.Fail(err)
	}
	if !closeFirst {
		return s.new.Commit()
	}
	s.j.file.Close()
	return s.reopen(s.new.Commit())
}

// firstBlock returns the block that follows the structure. It drops the pending
// words, which the file then contains.
func (s *snapshot) firstBlock() []byte {
	j := s.j
	j.mu.Lock()
	defer j.mu.Unlock()
	b := block.Block{Position: j.wanted, Previous: s.place, Words: without(j.recent.Words, s.cuts)}
	encoded := b.Append(nil, j.check)
	s.end = block.End{At: s.begin + int64(len(encoded)), Place: block.After(encoded), Position: b.Position}
	s.requests = j.requests
	s.dropped = true
	j.pending = block.Recorder{}
	j.whole = false
	return encoded
}

// without returns the records in words that the shards of a new file may lack.
// Shard i contains its digests before cuts[i], but may lack any time.
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

// reopen opens the file with the journal's name after Commit has returned err,
// because the old file was closed before. There are three cases:
//
//	Commit     opening
//	succeeded  succeeded  finish adopts the new file
//	succeeded  failed     finish abandons it, and the journal's file stays closed
//	failed     either     finish abandons it, and the journal uses the old file
//	                      again if it could be opened
//
// In the last case, the opened file is the new one if Commit failed only
// because the folder could not be synced. In the last two cases, no block is
// appended to the journal's file, whether it is open or not: since firstBlock
// has dropped the pending words, the next Sync writes a new file.
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

// abandon is called when the journal cannot adopt the new file. Since the disk
// may be full, the next new file is not due before the blocks are twice as long
// as now. But if firstBlock has dropped the pending words, the old file will
// lack them, so the next Sync must write a new file.
func (s *snapshot) abandon() {
	s.j.limit = max(s.j.limit, 2*(s.j.end.At-s.j.begin))
	s.j.whole = s.j.whole || s.dropped
	if s.file != nil {
		s.file.Close()
	}
}

// discard removes the temporary file unless it has got its name.
func (s *snapshot) discard() {
	if s.new != nil {
		s.new.Discard()
	}
}
