package journal

import (
	"os"
	"sync"
	"time"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/block"
)

// A Journal is a file with a structure and the changes since it was written.
// Use [Open] to create one. All methods can be called concurrently.
type Journal struct {
	name  string
	of    Structure
	parts parts // nil unless of is from Shards
	check uint64
	able  [block.Advance + 1]error // why an operation cannot be repeated, or nil
	fsync func(*os.File) error     // tests replace it

	// The three locks are taken in this order, and each guards the fields below
	// it. Only closed is changed while both saving and disk are held.
	saving sync.Mutex // held while a new file is written

	disk   turns // held while a block is written, and while the new file gets its name
	closed bool
	file   *os.File
	begin  int64     // of the blocks in the file
	end    block.End // of the last durable block

	mu       sync.Mutex      // held for a moment
	pending  block.Recorder  // records that no block contains
	whole    bool            // a new file is needed: pending, or the file, is incomplete
	recent   *block.Recorder // records since a new file was begun; nil if none is being written
	wanted   uint64          // the position of the last request
	requests uint64          // number of requests
	durable  uint64          // the position in the last durable block
	limit    int64           // a new file is due when the blocks are longer; changed while disk is held
	timed    bool            // a time was recorded
	now      int64           // the latest time that was recorded
	refused  error           // of the first record that cannot be repeated
	failure  error           // of a new file that was written in the background
}

// Add records that digests were added to the structure, in this order. It only
// keeps them in memory; see [Journal.Sync].
func (j *Journal) Add(digests ...hashfam.Digest) { j.record(block.Add, digests) }

// Delete records that digests were deleted from the structure, or removed from
// a sketch.
func (j *Journal) Delete(digests ...hashfam.Digest) { j.record(block.Delete, digests) }

// Advance records the time that was passed to the structure's Advance. Only
// later times than the previous one are recorded, and each needs 16 bytes, so
// use t.Truncate for both calls.
func (j *Journal) Advance(t time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := nanoseconds(t)
	if j.timed && n <= j.now {
		return
	}
	j.timed = true
	j.now = n
	j.add(block.Advance, uint64(n))
}

func (j *Journal) record(op block.Op, digests []hashfam.Digest) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, d := range digests {
		j.add(op, uint64(d))
	}
}

// add records a word. When the pending words need as much memory as the
// structure, they are dropped, because a new file would then be shorter.
func (j *Journal) add(op block.Op, word uint64) {
	if j.refused == nil {
		j.refused = j.able[op]
	}
	if j.recent != nil {
		j.recent.Add(op, word)
	}
	if j.whole {
		return
	}
	j.pending.Add(op, word)
	if int64(len(j.pending.Words)) > j.limit/wordBytes {
		j.needNewFile()
	}
}

const wordBytes = 8

// needNewFile drops the pending words, because the next Sync will write a new
// file.
func (j *Journal) needNewFile() {
	j.pending = block.Recorder{}
	j.whole = true
}

// Position returns the position in the file, as far as it is known to be
// durable: the position of the last Sync or Save that returned nil, also before
// the file was opened, or a later one if only writing a new file failed. It is
// 0 in a new file.
func (j *Journal) Position() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.durable
}

// Sync makes everything durable that was recorded before the call, together
// with the position. It appends 80 bytes, and 8 for each digest, or nothing if
// nothing has changed. Calls that wait at the same time share a single write,
// and the position of the last call counts.
//
// When the blocks have become longer than the structure, and than 1 MiB, Sync
// also writes a new file. It waits for this, unless the structure is from
// [Shards]: then the file is written in the background, and a later call
// returns the error.
//
// If Sync returns nil, the changes are durable. After an error, they may be
// durable or not, but they are kept in memory, so call Sync or Save again. The
// error matches errors.ErrUnsupported if the structure has no method for an
// operation that was recorded, and os.ErrClosed after Close.
func (j *Journal) Sync(position uint64) error {
	request := j.request(position)
	due, err := j.append(request)
	switch {
	case err != nil || due == nothing:
		return err
	case due == newFile:
		return j.save(func() bool { return j.disk.served >= request })
	case j.parts != nil:
		go j.saveInBackground()
		return nil
	}
	return j.save(j.blocksAreShort)
}

// Save is like [Journal.Sync], but writes the whole structure to a new file.
// Call it when the structure was changed by anything but Add, Delete and
// Advance, for example by Merge or Reset.
func (j *Journal) Save(position uint64) error {
	j.request(position)
	return j.save(func() bool { return false })
}

// Close releases the file, and waits for a new file that is being written. It
// does not call Sync, because it does not know the position.
func (j *Journal) Close() error {
	j.saving.Lock()
	defer j.saving.Unlock()
	j.disk.take(always)
	defer j.disk.pass(0)
	j.closed = true
	return j.file.Close()
}

// request returns the number of a request to make all changes durable.
func (j *Journal) request(position uint64) uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.wanted = position
	j.requests++
	return j.requests
}

// due is what must happen after a block was appended, or instead.
type due int

const (
	nothing    due = iota
	newFile        // the request was not served, because a new file is needed
	longBlocks     // the request was served, but the blocks are long
)

// append writes a block, unless the request was served meanwhile.
func (j *Journal) append(request uint64) (due, error) {
	if !j.disk.take(request) {
		return nothing, nil
	}
	served := uint64(0)
	defer func() { j.disk.pass(served) }()
	if j.closed {
		return nothing, os.ErrClosed
	}
	t := j.taken()
	switch {
	case t.refused != nil:
		return nothing, t.refused
	case t.whole:
		return newFile, nil
	case len(t.words) > 0 || t.position != j.end.Position:
		if err := j.write(t); err != nil {
			return nothing, err
		}
	}
	served = t.requests
	if j.blocksAreShort() {
		return nothing, t.failure
	}
	return longBlocks, t.failure
}

// write writes a block and makes it durable.
func (j *Journal) write(t taken) error {
	b := block.Block{Position: t.position, Previous: j.end.Place, Words: t.words}.Append(nil, j.check)
	if _, err := j.file.WriteAt(b, j.end.At); err != nil {
		intact := j.file.Truncate(j.end.At) == nil
		j.restore(t.words, intact)
		return err
	}
	if err := j.fsync(j.file); err != nil {
		j.restore(nil, false) // the system may have dropped pages, and then the next call would succeed
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.end = block.End{At: j.end.At + int64(len(b)), Place: block.After(b), Position: t.position}
	j.durable = t.position
	return nil
}

// taken is a part of a Journal: what the next block contains.
type taken struct {
	words              []uint64
	position, requests uint64
	whole              bool
	refused, failure   error
}

// taken returns the pending words, which are then no longer pending.
func (j *Journal) taken() taken {
	j.mu.Lock()
	defer j.mu.Unlock()
	t := taken{
		words: j.pending.Words, position: j.wanted, requests: j.requests, whole: j.whole, refused: j.refused, failure: j.failure,
	}
	if t.refused == nil {
		j.pending = block.Recorder{}
		j.failure = nil
	}
	return t
}

// restore makes words pending again if the file is still intact. Otherwise, a
// new file is needed.
func (j *Journal) restore(words []uint64, intact bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !intact || j.whole {
		j.needNewFile()
		return
	}
	j.pending = block.Recorder{Words: append(words, j.pending.Words...)}
}
