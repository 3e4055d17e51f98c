package counting

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

func TestZeroAndNilViewsReturnErrors(t *testing.T) {
	require.ErrorIs(t, (*View)(nil).Verify(), ErrParams)
	require.ErrorIs(t, new(View).Verify(), ErrParams)
	_, err := new(View).Decode()
	require.ErrorIs(t, err, ErrParams)
	require.True(t, new(View).ContainsString("any"), "like the zero Filter")
}

func TestAViewGivesTheAnswersOfItsFilter(t *testing.T) {
	for _, layout := range []Layout{Classic, Blocked} {
		f, err := New(Config{Capacity: 1000, FPRate: 0.01, Layout: layout})
		require.NoError(t, err)
		for i := range 1500 {
			f.AddString(fmt.Sprint("key ", i/2))
		}
		for range 20 {
			f.AddString("often")
		}
		b, err := f.MarshalBinary()
		require.NoError(t, err)
		v, err := NewView(b, hashfam.Family{})
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		}
		require.NoError(t, err)
		require.NotZero(t, f.Stuck())
		require.Equal(t, f.Stuck(), v.Stuck())
		require.Equal(t, f.EstimatedLen(), v.EstimatedLen())
		require.Equal(t, f.FillRatio(), v.FillRatio())
		require.Equal(t, f.FalsePositiveRate(), v.FalsePositiveRate())
		require.Equal(t, f.SizeBytes(), v.SizeBytes())
		for i := range 2000 {
			key := fmt.Sprint("key ", i)
			require.Equal(t, f.CountString(key), v.CountString(key))
			require.Equal(t, f.CountString(key), v.Count([]byte(key)))
			require.Equal(t, f.CountString(key), v.CountDigest(v.Params().Family.SumString(key)))
		}
	}
}

func ExampleNewView() {
	f, err := New(Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.AddString("session 17")
	f.AddString("session 17")
	data, err := f.MarshalBinary() // or the bytes of a mapped file
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := NewView(data, f.Params().Family)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.CountString("session 17"), v.Count([]byte("session 18")))
	fmt.Println(v.Verify(), v)
	g, err := v.Decode() // a copy that can be changed
	fmt.Println(g.Equal(f), err)
	// Output:
	// 2 0
	// <nil> counting.View(classic, 9600 counters, 7 hashes, family public)
	// true <nil>
}

func ExampleReadParams() {
	f, err := New(Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if _, err := f.WriteTo(&file); err != nil {
		fmt.Println(err)
		return
	}
	p, err := ReadParams(&file, hashfam.Family{})
	fmt.Println(p, err)
	fmt.Println(p.SizeBytes(), "bytes in memory,", p.CapacityAt(0.01), "keys at 1 %")
	// Output:
	// classic, 9600 counters, 7 hashes, family public <nil>
	// 4800 bytes in memory, 1000 keys at 1 %
}

func ExampleFilter_MarshalText() {
	f, err := NewFromParams(Params{Counters: 16, Hashes: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.AddString("session 17")
	b, err := json.Marshal(map[string]any{"filter": f}) // calls f.MarshalJSON
	fmt.Println(string(b), err)
	b, err = f.MarshalJSON()
	fmt.Println(len(b), err)
	text, err := f.MarshalText() // AppendText appends it to a slice
	if err != nil {
		fmt.Println(err)
		return
	}
	var g Filter
	fmt.Println(g.UnmarshalText(text), g.Equal(f))
	line, err := f.AppendText([]byte("filter "))
	fmt.Println(len(line)-len(text), err)
	// Output:
	// {"filter":"8WZhbQIBEACCxv50z7dfkggAAAAAAAAAEAAAAAAAAAACAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAlpuzyAAAAAAAAAAAAACAA6Hn7PQAAAAA="} <nil>
	// 110 <nil>
	// <nil> true
	// 7 <nil>
}

func ExampleFilter_LogValue() {
	f, err := NewFromParams(Params{Counters: 16, Hashes: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.AddString("session 17")
	withoutTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime})).Info("loaded", "filter", f)
	// Output: level=INFO msg=loaded filter.n=0.5 filter.bits=64 filter.rate=0.00390625 filter.fill=0.0625 filter.stuck=0 filter.params="classic, 16 counters, 2 hashes, family public"
}

func ExampleFilter_AddAllDigests() {
	f, err := New(Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	keys := [][]byte{[]byte("a"), []byte("b"), []byte("c")}
	digests := f.Params().Family.SumAll(nil, keys) // hash once for all structures of the family
	f.AddAllDigests(digests[:2])
	fmt.Println(f.ContainsAllDigests(nil, digests))
	fmt.Println(f.DeleteAllDigests(digests), f.ContainsAllDigests(nil, digests))
	// Output:
	// [true true false]
	// 2 [false false false]
}
