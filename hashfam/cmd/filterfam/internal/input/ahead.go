package input

import (
	"context"
	"io"
)

// An ahead reader reads another reader in a goroutine, so that decompressing
// and using the lines can run on two processors. When ctx is canceled, Read
// returns ctx's error, even while the other reader waits.
type ahead struct {
	ctx  context.Context
	used chan []byte // buffers for the goroutine
	full chan piece
	now  piece  // the last one from full
	left []byte // of its bytes
}

// A piece is the result of a read.
type piece struct {
	bytes []byte
	err   error
}

// aheadBytes is the size of the buffers.
const aheadBytes = 128 << 10

// newAhead returns a reader that reads r until ctx is canceled.
func newAhead(ctx context.Context, r io.Reader) *ahead {
	const buffers = 3 // one is being filled, one is being used, and one waits
	a := &ahead{ctx: ctx, used: make(chan []byte, buffers), full: make(chan piece, buffers)}
	for range buffers {
		a.used <- make([]byte, aheadBytes)
	}
	go a.readAll(r)
	return a
}

// readAll fills buffers until r returns an error. It never waits to send,
// because full has room for all buffers.
func (a *ahead) readAll(r io.Reader) {
	for {
		var buffer []byte
		select {
		case buffer = <-a.used:
		case <-a.ctx.Done():
			return
		}
		n, err := r.Read(buffer)
		a.full <- piece{buffer[:n], err}
		if err != nil {
			return
		}
	}
}

func (a *ahead) Read(b []byte) (int, error) {
	if err := a.ctx.Err(); err != nil {
		return 0, err
	}
	for len(a.left) == 0 {
		if a.now.err != nil {
			return 0, a.now.err
		}
		if a.now.bytes != nil {
			a.used <- a.now.bytes[:cap(a.now.bytes)]
		}
		select {
		case a.now = <-a.full:
			a.left = a.now.bytes
		case <-a.ctx.Done():
			return 0, a.ctx.Err()
		}
	}
	n := copy(b, a.left)
	a.left = a.left[n:]
	return n, nil
}
