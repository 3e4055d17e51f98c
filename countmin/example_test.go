package countmin_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
)

func ExampleNew() {
	s, err := countmin.New(countmin.Config{Epsilon: 0.001, Delta: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, word := range []string{"to", "be", "or", "not", "to", "be"} {
		s.AddString(word)
	}
	fmt.Println(s.CountString("to"), s.CountString("or"), s.CountString("question"))
	fmt.Println(s.SizeBytes(), "bytes, however long the text")
	// Output:
	// 2 1 0
	// 54380 bytes, however long the text
}

func ExampleNew_shape() {
	s, err := countmin.New(countmin.Config{Width: 1000, Depth: 4, CounterBits: 64, Conservative: true})
	fmt.Println(s, err)
	// Output: countmin.Sketch(conservative, 4 x 1000 counters of 64 bits, family public) <nil>
}

func ExampleNew_impossible() {
	_, err := countmin.New(countmin.Config{Epsilon: 0.001})
	fmt.Println(errors.Is(err, countmin.ErrParams))
	fmt.Println(err)
	// Output:
	// true
	// countmin: invalid parameters: Config.Delta = 0, want above 0 and below 1
}

func ExampleNewFromParams() {
	s, err := countmin.NewFromParams(countmin.Params{Width: 2719, Depth: 5, CounterBits: 32})
	fmt.Println(s, err)
	// Output: countmin.Sketch(plain, 5 x 2719 counters of 32 bits, family public) <nil>
}

func ExampleConfig_Params() {
	for _, epsilon := range []float64{0.01, 0.001, 0.0001} {
		p, _ := countmin.Config{Epsilon: epsilon, Delta: 0.01}.Params()
		fmt.Printf("%g: %d x %d\n", epsilon, p.Depth, p.Width)
	}
	// Output:
	// 0.01: 5 x 272
	// 0.001: 5 x 2719
	// 0.0001: 5 x 27183
}

func ExampleParams_Epsilon() {
	p := countmin.Params{Width: 1000, Depth: 4, CounterBits: 32}
	fmt.Printf("at most %.4f of the total, with probability %.3f\n", p.Epsilon(), 1-p.Delta())
	// Output: at most 0.0027 of the total, with probability 0.982
}

// sketch returns a sketch in which every key is counted once.
func sketch(keys ...string) *countmin.Sketch {
	s, err := countmin.New(countmin.Config{Epsilon: 0.01, Delta: 0.01})
	if err != nil {
		panic(err)
	}
	for _, key := range keys {
		s.AddString(key)
	}
	return s
}

func ExampleSketch_Add() {
	s := sketch()
	s.Add([]byte{1, 2})
	s.Add([]byte{1, 2})
	fmt.Println(s.Count([]byte{1, 2}), s.Count([]byte{1}))
	// Output: 2 0
}

func ExampleSketch_AddString() {
	s := sketch()
	s.AddString("")
	fmt.Println(s.CountString(""), "the empty key is a key like any other")
	// Output: 1 the empty key is a key like any other
}

func ExampleSketch_Count() {
	s := sketch("a", "b", "a")
	fmt.Println(s.Count([]byte("a")), s.CountString("b"), s.Count(nil))
	// Output: 2 1 0
}

func ExampleSketch_Total() {
	s := sketch("a", "b", "a")
	fmt.Println(s.Total(), s.ErrorBound())
	// Output: 3 0
}

func ExampleSketch_AddN() {
	bytesSent := sketch()
	bytesSent.AddN([]byte("10.0.0.1"), 1500)
	bytesSent.AddNString("10.0.0.1", 40)
	fmt.Println(bytesSent.CountString("10.0.0.1"), bytesSent.Total())
	// Output: 1540 1540
}

// A digest is computed once and asked of every sketch of its family.
func ExampleSketch_AddDigest() {
	monday, tuesday := sketch("anna"), sketch("boris")
	d := monday.Params().Family.SumString("boris")
	tuesday.AddDigest(d)
	tuesday.AddNDigest(d, 3)
	fmt.Println(monday.CountDigest(d), tuesday.CountDigest(d))
	// Output: 0 5
}

func ExampleSketch_AddAll() {
	s := sketch()
	s.AddAll([][]byte{[]byte("a"), []byte("b"), []byte("a")})
	fmt.Println(s.CountAll(nil, [][]byte{[]byte("a"), []byte("b"), []byte("c")}))
	// Output: [2 1 0]
}

func ExampleSketch_Bounds() {
	s := sketch()
	s.AddNString("the", 14534)
	s.AddNString("whale", 1226)
	low, high := s.Bounds([]byte("whale"))
	fmt.Println(low, high, s.ErrorBound())
	// Output: 1069 1226 157
}

func ExampleSketch_BoundsString() {
	low, high := sketch("a", "a").BoundsString("a")
	fmt.Println(low, high)
	// Output: 2 2
}

func ExampleSketch_Remove() {
	inCart := sketch("hat", "hat", "shoe")
	fmt.Println(inCart.Remove([]byte("hat")), inCart.RemoveString("shoe"), inCart.CountString("hat"))
	fmt.Println(inCart.RemoveString("shoe"))
	// Output:
	// <nil> <nil> 1
	// countmin: invalid parameters: n = 1, want at most the key's count, 0
}

func ExampleSketch_RemoveN() {
	s := sketch()
	s.AddNString("a", 10)
	fmt.Println(s.RemoveN([]byte("a"), 3), s.CountString("a"))
	// Output: <nil> 7
}

func ExampleSketch_RemoveNString() {
	s := sketch("a", "a", "a")
	fmt.Println(s.RemoveNString("a", 2), s.CountString("a"))
	// Output: <nil> 1
}

func ExampleSketch_RemoveDigest() {
	s := sketch("a", "a", "a", "a")
	d := s.Params().Family.SumString("a")
	fmt.Println(s.RemoveDigest(d), s.RemoveNDigest(d, 2), s.CountDigest(d))
	// Output: <nil> <nil> 1
}

func ExampleSketch_BoundsUint64() {
	s := sketch()
	s.AddNUint64(17, 3)
	low, high := s.BoundsUint64(17)
	fmt.Println(low, high, s.RemoveUint64(17), s.RemoveNUint64(17, 2), s.CountUint64(17))
	// Output: 3 3 <nil> <nil> 0
}

func ExampleSketch_BoundsDigest() {
	s := sketch("a", "a", "b")
	low, high := s.BoundsDigest(s.Params().Family.SumString("a"))
	fmt.Println(low, high)
	// Output: 2 2
}

// The inner product is the size of a join on the key.
func ExampleSketch_InnerProduct() {
	orders, visits := sketch("anna", "anna", "boris"), sketch("anna", "clara", "anna", "anna")
	n, err := orders.InnerProduct(visits)
	fmt.Println(n, err)
	// Output: 6 <nil>
}

func ExampleSketch_Merge() {
	monday, tuesday := sketch("a", "b"), sketch("b", "c")
	err := monday.Merge(tuesday)
	fmt.Println(err, monday.CountString("b"), monday.Total(), monday.Equal(sketch("a", "b", "b", "c")))
	// Output: <nil> 2 4 true
}

func ExampleSketch_Reset() {
	s := sketch("a")
	s.Reset()
	fmt.Println(s.CountString("a"), s.Total())
	// Output: 0 0
}

func ExampleSketch_Clone() {
	s := sketch("a")
	c := s.Clone()
	c.AddString("a")
	fmt.Println(s.CountString("a"), c.CountString("a"), s.Equal(c))
	// Output: 1 2 false
}

func ExampleSketch_MarshalBinary() {
	data, err := sketch("a").MarshalBinary()
	if err != nil {
		fmt.Println(err)
		return
	}
	var s countmin.Sketch
	err = s.UnmarshalBinary(data)
	fmt.Println(len(data), err, s.CountString("a"))
	// Output: 5512 <nil> 1
}

// A buffer that is used again spares an allocation.
func ExampleSketch_AppendBinary() {
	buf, err := sketch("a").AppendBinary([]byte("header"))
	fmt.Printf("%s, then %x, %v\n", buf[:6], buf[6:10], err)
	// Output: header, then f166616d, <nil>
}

// Sketches follow one another in a stream; the last is followed by io.EOF.
func ExampleSketch_ReadFrom() {
	var stream bytes.Buffer
	sketch("a").WriteTo(&stream)
	sketch("b", "b").WriteTo(&stream)
	for {
		var s countmin.Sketch
		_, err := s.ReadFrom(&stream)
		if errors.Is(err, io.EOF) {
			break
		}
		fmt.Println(err, s.CountString("a"), s.CountString("b"))
	}
	// Output:
	// <nil> 1 0
	// <nil> 0 2
}

// What was counted under a secret key is decoded by a receiver that has the
// key.
func ExampleNewReceiver() {
	secret := hashfam.RandomKey()
	s, _ := countmin.New(countmin.Config{Epsilon: 0.01, Delta: 0.01, Family: hashfam.New(secret)})
	s.AddString("a")
	data, _ := s.MarshalBinary()

	fmt.Println(errors.Is(new(countmin.Sketch).UnmarshalBinary(data), countmin.ErrFamily))
	g := countmin.NewReceiver(hashfam.New(secret))
	fmt.Println(g.UnmarshalBinary(data), g.CountString("a"))
	// Output:
	// true
	// <nil> 1
}
