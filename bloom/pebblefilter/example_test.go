package pebblefilter_test

import (
	"fmt"
	"log"
	"os"

	"github.com/cockroachdb/pebble/v2"
	pebblebloom "github.com/cockroachdb/pebble/v2/bloom"

	"github.com/filterfam/filterfam/bloom/pebblefilter"
	"github.com/filterfam/filterfam/hashfam"
)

// In this database, most of the keys that are looked up are absent.
func Example() {
	dir, err := os.MkdirTemp("", "pebblefilter")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	few, err := pebblefilter.Static(0.001) // for levels with few keys
	if err != nil {
		log.Fatal(err)
	}
	most, err := pebblefilter.Static(0.01) // for the last level
	if err != nil {
		log.Fatal(err)
	}
	options := &pebble.Options{Logger: quiet{}}
	for i := range options.Levels {
		options.Levels[i].FilterPolicy = few
	}
	options.Levels[6].FilterPolicy = most
	db, err := pebble.Open(dir, options)
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"ada", "barbara", "grace"} {
		if err := db.Set([]byte(name), []byte("was here"), pebble.Sync); err != nil {
			log.Fatal(err)
		}
	}
	if err := db.Flush(); err != nil { // keys in memory have no filter
		log.Fatal(err)
	}

	it, err := db.NewIter(&pebble.IterOptions{UseL6Filters: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"ada", "alan", "edsger", "grace"} {
		fmt.Println(name, it.SeekPrefixGE([]byte(name)))
	}
	if err := it.Close(); err != nil {
		log.Fatal(err)
	}
	unread, _ := few.Errors()
	fmt.Println(db.Metrics().Filter.Hits, "tables not read,", unread, "unreadable filters")
	if err := db.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// ada true
	// alan false
	// edsger false
	// grace true
	// 2 tables not read, 0 unreadable filters
}

// This database used to have Pebble's own filters, and will now use a keyed
// family. The old policy is needed until all tables have been rewritten.
func ExamplePolicy_WithFamily() {
	secret := hashfam.New(hashfam.Key{15: 1}) // should be a RandomKey, stored with the program's secrets
	p, err := pebblefilter.Static(0.01)
	if err != nil {
		log.Fatal(err)
	}
	p = p.WithFamily(secret)
	old := pebblebloom.FilterPolicy(10)
	options := &pebble.Options{Filters: map[string]pebble.FilterPolicy{old.Name(): old}}
	for i := range options.Levels {
		options.Levels[i].FilterPolicy = p
	}
	fmt.Println(p, old.Name())
	// Output: filterfam.static.v1.8093317502900ad2 rocksdb.BuiltinBloomFilter
}

// quiet is a Logger that drops Pebble's messages.
type quiet struct{ pebble.Logger }

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
