package countmin_test

import (
	"fmt"
	"log"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
)

// Four workers count the keys of their shards.
func ExampleJoinTopK() {
	const n = 4
	var shards [n]*countmin.TopK
	for i := range shards {
		var err error
		if shards[i], err = countmin.NewTopK(countmin.TopKConfig{K: 2}); err != nil {
			log.Fatal(err)
		}
	}
	for _, key := range []string{"a", "b", "a", "c", "a", "b"} {
		d := hashfam.Family{}.SumString(key)
		shards[d.Shard(n)].AddString(key)
	}
	top, err := countmin.JoinTopK(shards[:])
	if err != nil {
		log.Fatal(err)
	}
	for key, e := range top.All() {
		fmt.Println(key, e.Count)
	}
	fmt.Println(top.Complete())
	// Output:
	// a 3
	// b 2
	// true
}

// Two workers count the keys of their shards.
func ExampleJoinHeavyHitters() {
	const n = 2
	var shards [n]*countmin.HeavyHitters
	for i := range shards {
		var err error
		if shards[i], err = countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 0.5}); err != nil {
			log.Fatal(err)
		}
	}
	for _, key := range []string{"a", "b", "a", "c", "a", "b"} {
		d := hashfam.Family{}.SumString(key)
		shards[d.Shard(n)].AddString(key)
	}
	heavy, err := countmin.JoinHeavyHitters(shards[:])
	if err != nil {
		log.Fatal(err)
	}
	for key, e := range heavy.All() {
		fmt.Println(key, e.Count)
	}
	// Output: a 3
}
