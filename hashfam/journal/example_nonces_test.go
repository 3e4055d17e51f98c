package journal_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/journal"
	"github.com/filterfam/filterfam/hashfam/sharded"
)

// nonces are the nonces of the last ten minutes.
type nonces struct {
	fam  hashfam.Family
	seen *sharded.Of[*bloom.Rotating]
	j    *journal.Journal
}

// openNonces needs a secret family, because clients choose the nonces, and the
// same one after a restart.
func openNonces(name string, fam hashfam.Family) (*nonces, error) {
	config := bloom.RotatingConfig{Keys: sharded.Capacity(1_000_000, 64), Span: 10*time.Minute + time.Second, FPRate: 1e-6, Family: fam}
	seen, err := sharded.New(64, func(int) (*bloom.Rotating, error) { return bloom.NewRotating(config) })
	if err != nil {
		return nil, err
	}
	var used bloom.RotatingConfig
	seen.Do(0, func(f *bloom.Rotating) { used = f.Config() })
	j, err := journal.Open(name, journal.Shards(seen))
	if err != nil {
		return nil, err
	}
	err = seen.Each(func(_ int, f *bloom.Rotating) error {
		if f.Config() != used {
			return errChanged
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return &nonces{fam, seen, j}, nil
}

// once accepts each nonce once, and answers when it is on the disk.
func (n *nonces) once(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d, replayed := n.fam.SumString(r.Header.Get("Nonce")), false
		now := time.Now().Truncate(time.Second)
		n.seen.Do(d, func(f *bloom.Rotating) {
			f.Advance(now)
			n.j.Advance(now)
			if replayed = f.ContainsOrAddDigest(d); !replayed {
				n.j.Add(d)
			}
		})
		if err := n.j.Sync(0); err != nil {
			http.Error(w, "not stored", http.StatusInternalServerError)
		} else if replayed {
			http.Error(w, "replayed", http.StatusConflict)
		} else {
			next.ServeHTTP(w, r)
		}
	})
}

// pay returns the status of a request with a nonce.
func pay(h http.Handler, nonce string) int {
	r := httptest.NewRequest("POST", "/pay", nil)
	r.Header.Set("Nonce", nonce)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code
}

// A service rejects a nonce also after a crash.
func Example_nonces() {
	inTemporaryFolder(func(folder string) {
		fam := hashfam.Random() // in practice, from a key that is stored with the other secrets
		for range 2 {
			n, err := openNonces(filepath.Join(folder, "nonces"), fam)
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Println(pay(n.once(http.NotFoundHandler()), "7f3a"))
			n.j.Close() // as after a crash
		}
	})
	// Output:
	// 404
	// 409
}

// Each nonce is accepted once, by any number of goroutines and restarts.
func TestServicesAcceptEachNonceOnce(t *testing.T) {
	name := filepath.Join(t.TempDir(), "nonces")
	fam := hashfam.Random()
	var accepted atomic.Int64
	next := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { accepted.Add(1) })
	for range 2 {
		n, err := openNonces(name, fam)
		require.NoError(t, err)
		h := n.once(next)
		var all sync.WaitGroup
		for range 32 {
			all.Go(func() {
				for i := range 50 {
					pay(h, fmt.Sprint(i))
				}
			})
		}
		all.Wait()
		require.NoError(t, n.j.Close())
	}
	require.EqualValues(t, 50, accepted.Load())
}
