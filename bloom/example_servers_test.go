package bloom_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/hashfam"
)

// A mirror is a copy of another server's filter.
type mirror struct {
	sync.RWMutex // readers take RLock
	filter       *bloom.Filter
}

func (m *mirror) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	message, _ := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<24)) // a part of one is refused
	m.Lock()
	defer m.Unlock()
	if m.filter.ApplyDelta(message) != nil && m.filter.UnmarshalBinary(message) != nil {
		http.Error(w, "send the whole filter", http.StatusConflict)
	}
}

// send sends the changes since the state sent. It returns the state to use for
// the next call.
func send(url string, sent, now *bloom.Filter) *bloom.Filter {
	message, err := now.AppendDelta(nil, sent)
	if err != nil { // the other server's state is unknown
		message, _ = now.MarshalBinary()
	}
	reply, err := http.Post(url, "", bytes.NewReader(message))
	if err != nil {
		return sent // lost: the next delta has these changes too
	}
	if reply.Body.Close(); reply.StatusCode == http.StatusOK {
		return now
	}
	return new(bloom.Filter) // unknown: the next message is the whole filter
}

// A cacheServer has documents, and a mirror of the other server's filter.
type cacheServer struct {
	cached *counting.Filter
	sent   *bloom.Filter
	others mirror
	lose   atomic.Bool  // whether the next message will be lost
	got    atomic.Int64 // bytes in the last message
}

func (s *cacheServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.got.Store(r.ContentLength)
	if s.lose.CompareAndSwap(true, false) {
		panic(http.ErrAbortHandler) // the connection breaks
	}
	s.others.ServeHTTP(w, r)
}

// replace replaces the 1,000 oldest documents with new ones.
func (s *cacheServer) replace(second uint64) {
	fam := s.cached.Family()
	for i := 1000 * second; i < 1000*(second+1); i++ {
		s.cached.DeleteDigest(fam.SumUint64(i))
		s.cached.AddDigest(fam.SumUint64(i + 100_000))
	}
}

// Two servers with 100,000 documents replace 1,000 documents every second and
// send each other the changes. In second 2 the first server does not receive a
// message, and in second 5 it is restarted.
func Example_summaryCache() {
	var servers [2]*cacheServer
	var urls [2]string
	for i := range servers {
		f := hashfam.Must(counting.New(counting.Config{Capacity: 100_000, FPRate: 0.01}))
		for document := range uint64(100_000) {
			f.AddDigest(f.Family().SumUint64(document))
		}
		servers[i] = &cacheServer{cached: f, sent: new(bloom.Filter)}
		servers[i].others.filter = new(bloom.Filter)
		server := httptest.NewServer(servers[i])
		defer server.Close()
		urls[i] = server.URL
	}
	for second := range uint64(8) {
		servers[0].lose.Store(second == 2)
		if second == 5 {
			servers[0].sent, servers[0].others.filter = new(bloom.Filter), new(bloom.Filter)
		}
		fmt.Print("second ", second)
		for i, s := range servers {
			s.replace(second)
			now, other := s.cached.Bloom(), servers[1-i]
			s.sent = send(urls[1-i], s.sent, now)
			fmt.Print(", ", other.got.Load(), " bytes: ", other.others.filter.Equal(now))
		}
		fmt.Println()
	}
	// Output:
	// second 0, 119992 bytes: true, 119992 bytes: true
	// second 1, 7432 bytes: true, 7432 bytes: true
	// second 2, 7384 bytes: true, 7384 bytes: false
	// second 3, 7344 bytes: true, 12944 bytes: true
	// second 4, 7400 bytes: true, 7400 bytes: true
	// second 5, 119992 bytes: true, 7232 bytes: false
	// second 6, 7304 bytes: true, 119992 bytes: true
	// second 7, 7232 bytes: true, 7232 bytes: true
}
