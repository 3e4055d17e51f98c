package cutrunner

import (
	"os"
	"sync/atomic"
)

// A store contains the encoded elements of all collections in a file, so that
// only the workers use memory.
type store struct {
	file *os.File
	end  atomic.Int64
}

// A span is the range of an element's bytes in the store.
type span struct{ at, length int64 }

func newStore() (*store, error) {
	file, err := os.CreateTemp("", "cutrunner")
	return &store{file: file}, err
}

// write adds an encoded element. It may be called concurrently.
func (s *store) write(encoded []byte) (span, error) {
	length := int64(len(encoded))
	at := s.end.Add(length) - length
	_, err := s.file.WriteAt(encoded, at)
	return span{at, length}, err
}

// read returns an encoded element.
func (s *store) read(from span) ([]byte, error) {
	encoded := make([]byte, from.length)
	_, err := s.file.ReadAt(encoded, from.at)
	return encoded, err
}

// remove removes the file.
func (s *store) remove() {
	s.file.Close()
	os.Remove(s.file.Name())
}
