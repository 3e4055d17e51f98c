package static_test

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
)

// blockList returns a filter of the hosts to block, without those that must
// never be blocked, which it never finds.
func blockList(c static.Config, block, never []string) (*static.Filter, error) {
	excepted := make(map[string]bool)
	for _, host := range never {
		excepted[host] = true
	}
	block = slices.DeleteFunc(slices.Clone(block), func(host string) bool { return excepted[host] })
	members := c.Family.SumAllStrings(nil, block)
	absent := c.Family.SumAllStrings(nil, never)
	return static.NewExact(context.Background(), c, members, absent)
}

func Example_blockList() {
	c := static.Config{FPRate: 0.001}
	block := []string{"ads.example", "track.example", "bank.example"} // someone has added a bank
	never := []string{"bank.example", "news.example"}
	f, err := blockList(c, block, never)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.ContainsString("ads.example"), f.ContainsString("bank.example"), f.ContainsString("news.example"))
	// Output:
	// true false false
}

// A front asks a store only for keys that its filter finds. It collects the
// digests of keys that the store does not have, whether the filter has found
// them or not, because the next filter will make other mistakes.
type front struct {
	filter *static.Filter
	store  map[string]string
	absent map[hashfam.Digest]bool
}

// mostAbsent limits the memory, because anyone who sends queries adds keys.
const mostAbsent = 100_000

func (f *front) get(key string) (value string, ok bool) {
	d := f.filter.Family().SumString(key)
	if f.filter.ContainsDigest(d) {
		value, ok = f.store[key]
	}
	if !ok && len(f.absent) < mostAbsent {
		f.absent[d] = true
	}
	return value, ok
}

// rebuild is called every night. The new filter contains the keys that the store
// has now, and none of the keys that it did not have when they were looked up.
func (f *front) rebuild(ctx context.Context) error {
	c := static.Config{FPRate: 0.01, Family: f.filter.Family()} // of the digests in absent
	members := make([]hashfam.Digest, 0, len(f.store))
	for key := range f.store {
		d := c.Family.SumString(key)
		members = append(members, d)
		delete(f.absent, d) // the key has been stored since
	}
	filter, err := static.NewExact(ctx, c, members, slices.Collect(maps.Keys(f.absent)))
	if err != nil {
		return err
	}
	f.filter = filter
	clear(f.absent) // the keys of the next day
	return nil
}

// On each day the same 50,000 keys are looked up, and in the evening two of them
// are stored.
func Example_yesterdaysMistakes() {
	f := front{
		filter: static.NewReceiver(hashfam.New(hashfam.Key{1})), // a stored key
		store:  make(map[string]string),
		absent: make(map[hashfam.Digest]bool),
	}
	for i := range 10_000 {
		f.store[fmt.Sprint("user ", i)] = "a record"
	}
	for day := range 3 {
		if err := f.rebuild(context.Background()); err != nil {
			fmt.Println(err)
			return
		}
		asked := 0
		for i := range 50_000 {
			key := fmt.Sprint("nobody ", i)
			_, stored := f.get(key)
			if !stored && f.filter.ContainsString(key) {
				asked++
			}
		}
		p := f.filter.Params()
		fmt.Printf("%d keys, %5d absent: %d bytes, asked in vain %d times\n", p.Keys, p.Absent, p.SizeBytes(), asked)
		f.store[fmt.Sprint("nobody ", 2*day)] = "a record"
		f.store[fmt.Sprint("nobody ", 2*day+1)] = "a record"
	}
	// Output:
	// 10000 keys,     0 absent: 8544 bytes, asked in vain 477 times
	// 10002 keys, 49998 absent: 8704 bytes, asked in vain 0 times
	// 10004 keys, 49996 absent: 8704 bytes, asked in vain 0 times
}
