package cuckoo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

func TestAViewThatWasNotMadeIsAnError(t *testing.T) {
	require.ErrorIs(t, (*View)(nil).Verify(), ErrParams)
	require.ErrorIs(t, new(View).Verify(), ErrParams)
	_, err := new(View).Decode()
	require.ErrorIs(t, err, ErrParams)
	require.True(t, new(View).ContainsString("any"), "as the zero Filter")
}

func TestAViewAnswersEveryQuestionOfItsFilter(t *testing.T) {
	for _, p := range kinds {
		f := mustNew(t, p)
		for i := range 300 {
			require.NoError(t, f.AddString(fmt.Sprint("key ", i/2)))
		}
		b, err := f.MarshalBinary()
		require.NoError(t, err)
		for shift := range 8 { // it may begin anywhere
			v, err := NewView(append(make([]byte, shift), b...)[shift:], p.Family)
			require.NoError(t, err)
			require.NoError(t, v.Verify())
			require.Equal(t, f.Len(), v.Len())
			require.Equal(t, f.FillRatio(), v.FillRatio())
			require.Equal(t, f.FalsePositiveRate(), v.FalsePositiveRate())
			require.Equal(t, f.SizeBytes(), v.SizeBytes())
			for i := range 400 {
				key := fmt.Sprint("key ", i)
				require.Equal(t, f.CountString(key), v.CountString(key))
				require.Equal(t, f.CountString(key), v.Count([]byte(key)))
				require.Equal(t, f.CountString(key), v.CountDigest(v.Params().Family.SumString(key)))
			}
		}
	}
}

func ExampleNewView() {
	f, err := New(Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := f.AddString("example.org"); err != nil {
		fmt.Println(err)
		return
	}
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
	fmt.Println(v.ContainsString("example.org"), v.Contains([]byte("example.net")), v.Len())
	fmt.Println(v.Verify(), v)
	g, err := v.Decode() // a filter that can be changed
	fmt.Println(g.Equal(f), err)
	// Output:
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
	fmt.Println(p.SizeBytes(), "bytes if it is decoded")
	// Output:
}

func ExampleFilter_MarshalText() {
	f, err := NewFromParams(Params{Buckets: 2, FingerprintBits: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := f.AddString("example.org"); err != nil {
		fmt.Println(err)
		return
	}
	b, err := json.Marshal(map[string]any{"filter": f}) // calls f.MarshalJSON
	fmt.Println(string(b), err)
	b, err = f.MarshalJSON()
	fmt.Println(len(b), err)
	text, err := f.MarshalText()
	if err != nil {
		fmt.Println(err)
		return
	}
	var g Filter
	fmt.Println(g.UnmarshalText(text), g.Equal(f))
	line, err := f.AppendText([]byte("filter "))
	fmt.Println(len(line)-len(text), err)
	// Output:
}

func ExampleFilter_LogValue() {
	f, err := NewFromParams(Params{Buckets: 2, FingerprintBits: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := f.AddString("example.org"); err != nil {
		fmt.Println(err)
		return
	}
	withoutTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime})).Info("loaded", "filter", f)
	// Output:
}
