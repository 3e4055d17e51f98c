package hashfam_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
)

func ExampleFamily_UnmarshalText() {
	keyed := hashfam.New(hashfam.Key{1, 2, 3})
	text, err := keyed.MarshalText()
	fmt.Println(string(text), err)

	var f hashfam.Family
	fmt.Println(f.UnmarshalText([]byte("public")), f)
	fmt.Println(errors.Is(f.UnmarshalText(text), hashfam.ErrFamily)) // the text does not contain the key

	f = hashfam.New(hashfam.Key{1, 2, 3}) // with the key, the text is a check
	fmt.Println(f.UnmarshalText(text))
	line, err := f.AppendText([]byte("family "))
	fmt.Println(string(line), err)
	// Output:
	// keyed:d4b7cdebbc478981 <nil>
	// <nil> public
	// true
	// <nil>
	// family keyed:d4b7cdebbc478981 <nil>
}

func ExampleKey_MarshalText() {
	key := hashfam.Key{1, 2, 3}
	b, err := json.Marshal(map[string]hashfam.Key{"key": key})
	fmt.Println(string(b), err, key.LogValue())
	fmt.Println(key.UnmarshalText([]byte("010203")))
	// Output:
	// {"key":"hashfam.Key(hidden)"} <nil> hashfam.Key(hidden)
	// hashfam: secret key: Key = a text, want 16 bytes, copied into the Key: copy(k[:], bytes)
}

func ExampleDigest_Shard() {
	// Four shards, each for example a filter with a lock of its own. The same
	// digest chooses the shard and is added to the shard's filter.
	counts := make([]int, 4)
	for i := range 1000 {
		d := hashfam.Family{}.SumString(fmt.Sprint("key ", i))
		counts[d.Shard(len(counts))]++
	}
	fmt.Println(counts)
	// Output: [242 242 262 254]
}

func ExampleProbe_In() {
	p := hashfam.Family{}.SumString("key").Probe()
	for range 3 {
		fmt.Println(p.In(1000))
		p = p.Next()
	}
	// Output:
	// 173
	// 993
	// 88
}
