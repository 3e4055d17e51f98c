package journal

import (
	"os"
	"sync"
	"time"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/block"
)

// A Journal is a file that contains a structure and the changes that were made
// after the structure was written. Use [Open] to create one. All methods can be
// called concurrently.
type Journal struct {
	name  string
	of    Structure
	parts parts // nil unless of is from Shards
	check uint64
	able  [block.Advance + 1]error // why an operation cannot be repeated, or nil
	fsync func(*os.File) error     // tests replace it

	// The locks saving, disk and mu are taken in this order. disk and mu guard
	// the fields below them, up to the next lock. Two fields change only while
	// two locks are held, so each of the two is enough to read the field:
	// saving and disk for closed, and disk and mu for limit.
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
	limit    int64           // a new file is due when the blocks are longer
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

// Advance records a time t that was passed to the structure's Advance. It does
// nothing if t is not after the last recorded time. Each recorded time needs up
// to 24 bytes, so round t down for both calls, for example with
// t.Truncate(time.Second).
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

// add records a word. It is called while mu is held. When the pending words
// become longer than the limit, which is at least the length of the structure,
// add drops them, and the next Sync will write a new file instead.
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

// needNewFile makes the next Sync write a new file, and drops the pending
// words, which are then not needed. It is called while mu is held.
func (j *Journal) needNewFile() {
	j.pending = block.Recorder{}
	j.whole = true
}

// Position returns the latest position that is known to be durable. After Open,
// this is the position in the file, which is 0 if Open has written the file.
// Later, it is the position of the last Sync or Save that returned nil, or of a
// later call whose changes are durable although it returned an error, for
// example because Sync appended them but could not write a new file.
func (j *Journal) Position() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.durable
}

// Sync makes everything durable that was recorded before the call, together
// with the position. It appends a block to the file, which needs up to 80
// bytes, plus 8 for each digest or time, plus 8 whenever the kind of change
// differs from the one before. If nothing has changed, not even the position,
// it writes nothing. Calls that wait at the same time share a single write,
// which stores the position of the latest call.
//
// When the blocks have become longer than the structure and longer than 1 MiB,
// Sync also writes a new file. It waits for this file, unless the structure is
// from [Shards]: then the file is written in the background, and if this fails,
// a later Sync returns the error.
//
// Instead of appending, Sync writes only a new file if an earlier error made
// one necessary, or if the changes since the last Sync alone are longer than
// the structure and longer than 1 MiB. It always waits for this file.
//
// If Sync returns nil, the changes are durable. After an error, they may be
// durable or not, but they are not lost: the next Sync or Save that succeeds
// makes them durable. The error matches errors.ErrUnsupported if the structure
// has no method for an operation that was recorded, and os.ErrClosed after
// Close.
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
// Call it after changes that Add, Delete and Advance cannot record, for example
// Merge or Reset.
func (j *Journal) Save(position uint64) error {
	j.request(position)
	return j.save(func() bool { return false })
}

// Close waits for a new file that is being written, and then closes the file.
// It does not call Sync, because it does not know the position.
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

// A due says what Sync must do after append.
type due int

const (
	nothing    due = iota
	newFile        // the request was not served, because a new file is needed
	longBlocks     // the request was served, but the blocks are long
)

// append serves the given request, and all other requests that have been made
// so far, by writing a block with all pending words. It writes nothing if
// nothing has changed, if another call has already served the request, or if a
// new file is needed instead.
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

// write appends a block with the taken words to the file, and makes it durable.
// It is called while disk is held.
func (j *Journal) write(t taken) error {
	b := block.Block{Position: t.position, Previous: j.end.Place, Words: t.words}.Append(nil, j.check)
	if _, err := j.file.WriteAt(b, j.end.At); err != nil {
		intact := j.file.Truncate(j.end.At) == nil
		j.restore(t.words, intact)
		return err
	}
	if err := j.fsync(j.file); err != nil {
		j.restore(nil, false) // the system may have dropped pages, and the next fsync would not report this
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.end = block.End{At: j.end.At + int64(len(b)), Place: block.After(b), Position: t.position}
	j.durable = t.position
	return nil
}

// taken contains those fields of a Journal, all of the same moment, that append
// needs.
type taken struct {
	words              []uint64
	position, requests uint64
	whole              bool
	refused, failure   error
}

// taken returns the fields that append needs. The pending words and the failure
// then belong to the caller, unless an unsupported operation was recorded.
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

// restore makes the taken words pending again after an error. But if the file
// is not intact, or if words that were recorded after the taken ones have been
// dropped, the next Sync must write a new file instead.
func (j *Journal) restore(words []uint64, intact bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !intact || j.whole {
		j.needNewFile()
		return
	}
	j.pending = block.Recorder{Words: append(words, j.pending.Words...)}
}
