package sharded_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/sharded"
)

// once returns a handler that refuses a nonce for ten minutes after it was let
// through, and for at most twenty.
func once(next http.Handler) (http.Handler, error) {
	fam := hashfam.Random() // a secret key, because clients choose the nonces
	window := bloom.RotatingConfig{
		Capacity: sharded.Capacity(1_000_000, 64), Span: 10 * time.Minute, FPRate: 1e-6, Family: fam,
		Generations: 1, // or a burst of nonces raises the rate
	}
	seen, err := sharded.New(64, func(int) (*bloom.Rotating, error) { return bloom.NewRotating(window) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d, replayed := fam.SumString(r.Header.Get("Nonce")), false
		seen.Do(d, func(f *bloom.Rotating) {
			f.Advance(time.Now())
			replayed = f.ContainsOrAddDigest(d)
		})
		if replayed {
			http.Error(w, "replayed", http.StatusConflict)
			return
		}
		next.ServeHTTP(w, r)
	}), err
}

func Example_replayGuard() {
	guard, err := once(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "paid") }))
	if err != nil {
		fmt.Println(err)
		return
	}
	codes := make(chan int)
	for range 8 { // requests with the same nonce, at the same time
		go func() {
			r := httptest.NewRequest("POST", "/pay", nil)
			r.Header.Set("Nonce", "7f3a")
			w := httptest.NewRecorder()
			guard.ServeHTTP(w, r)
			codes <- w.Code
		}()
	}
	count := map[int]int{}
	for range 8 {
		count[<-codes]++
	}
	fmt.Println(count)
	// Output: map[200:1 409:7]
}
