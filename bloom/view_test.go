package bloom

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// viewable reports whether this platform supports views, given NewView's error.
func viewable(err error) bool { return !errors.Is(err, errors.ErrUnsupported) }

func TestZeroAndNilViewsReturnErrors(t *testing.T) {
	require.ErrorIs(t, (*View)(nil).Verify(), ErrParams)
	require.ErrorIs(t, new(View).Verify(), ErrParams)
	_, err := new(View).Decode()
	require.ErrorIs(t, err, ErrParams)
	require.True(t, new(View).ContainsString("any"), "like the zero Filter")
}

// ReadFrom allocates the filter once if the reader tells its size, and less than
// twice its size in total if it does not.
func TestMemoryToReadAFilter(t *testing.T) {
	f := mustNew(t, Params{Bits: 64 << 20, Hashes: 7})
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	file, err := os.Create(filepath.Join(t.TempDir(), "filter"))
	require.NoError(t, err)
	defer file.Close()
	_, err = f.WriteTo(file)
	require.NoError(t, err)
	_, err = file.Seek(0, io.SeekStart)
	require.NoError(t, err)
	for _, c := range []struct {
		name string
		r    io.Reader
		most float64
	}{{"memory", bytes.NewReader(b), 1.1}, {"file", file, 1.1}, {"stream", io.MultiReader(bytes.NewReader(b)), 2.02}} {
		var before, after runtime.MemStats
		g := NewReceiver(hashfam.Family{})
		runtime.ReadMemStats(&before)
		_, err := g.ReadFrom(c.r)
		runtime.ReadMemStats(&after)
		require.NoError(t, err)
		require.True(t, g.Equal(f))
		require.LessOrEqual(t, float64(after.TotalAlloc-before.TotalAlloc), c.most*float64(f.SizeBytes()), c.name)
	}
}

func ExampleNewView() {
	f, err := New(Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.AddString("example.org")
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
	fmt.Println(v.ContainsString("example.org"), v.Contains([]byte("example.net")))
	fmt.Println(v.ContainsDigest(v.Params().Family.SumString("example.org")))
	fmt.Println(v.ContainsAll(nil, [][]byte{[]byte("example.org"), []byte("example.net")}))
	fmt.Printf("%d bytes, %.2f %% full, about %.0f key, rate %.0e\n",
		v.SizeBytes(), 100*v.FillRatio(), v.EstimatedLen(), v.FalsePositiveRate())
	fmt.Println(v.Verify(), v)
	g, err := v.Decode() // a copy that can be changed
	fmt.Println(g.Equal(f), err)
	// Output:
	// true false
	// true
	// [true false]
	// 1200 bytes, 0.07 % full, about 1 key, rate 1e-22
	// <nil> bloom.View(classic, 9600 bits, 7 hashes, family public)
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
	// classic, 9600 bits, 7 hashes, family public <nil>
	// 1200 bytes in memory, 1000 keys at 1 %
}

func ExampleFilter_MarshalJSON() {
	f, err := NewFromParams(Params{Bits: 64, Hashes: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.AddString("example.org")
	b, err := json.Marshal(map[string]any{"params": f.Params(), "filter": f})
	fmt.Println(string(b), err)
	// Output: {"filter":"8WZhbQEBEACCxv50z7dfkggAAAAAAAAAQAAAAAAAAAACAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWn7iQAAAAABAAIAAAAAAA04XyQwAAAAA=","params":{"Bits":64,"Hashes":2,"Layout":"classic","Family":"public"}} <nil>
}

func ExampleFilter_UnmarshalText() {
	f, err := NewFromParams(Params{Bits: 64, Hashes: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.AddString("example.org")
	text, err := f.MarshalText() // AppendText appends it to a slice
	if err != nil {
		fmt.Println(err)
		return
	}
	var g Filter
	fmt.Println(g.UnmarshalText(text), g.Equal(f))
	more, err := g.AppendText([]byte("filter: "))
	fmt.Println(len(text), len(more), err)
	// Output:
	// <nil> true
	// 108 116 <nil>
}

func ExampleLayout_UnmarshalText() {
	var l Layout
	fmt.Println(l.UnmarshalText([]byte("blocked")), l)
	fmt.Println(l.UnmarshalText([]byte("clasic")), l)
	text, err := Partitioned.MarshalText()
	fmt.Println(string(text), err)
	text, err = Partitioned.AppendText([]byte("layout: "))
	fmt.Println(string(text), err)
	// Output:
	// <nil> blocked
	// bloom: invalid parameters: Layout = "clasic", want classic, partitioned or blocked blocked
	// partitioned <nil>
	// layout: partitioned <nil>
}

func ExampleFieldError() {
	_, err := New(Config{Capacity: 1000, FPRate: 1})
	var fe *FieldError
	if errors.As(err, &fe) {
		fmt.Printf("%v: %s is %v, and must be %s\n", fe.Err, fe.Field, fe.Value, fe.Allowed)
	}
	// Output: invalid parameters: Config.FPRate is 1, and must be above 0 and below 1
}

func ExampleFilter_LogValue() {
	f, err := NewFromParams(Params{Bits: 64, Hashes: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.AddString("example.org")
	slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime})).Info("loaded", "filter", f)
	// Output: level=INFO msg=loaded filter.n=1.0080003386642733 filter.bits=64 filter.rate=0.0009765625 filter.fill=0.03125 filter.params="classic, 64 bits, 2 hashes, family public"
}

// withoutTime drops the time, which differs in every run.
func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
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
	// Output: [true true false]
}
