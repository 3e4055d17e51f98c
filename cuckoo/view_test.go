package cuckoo

import (
	"fmt"
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

func TestViewsAnswerForIntegers(t *testing.T) {
	f, err := New(Config{Capacity: 1000, FPRate: 0.01})
	require.NoError(t, err)
	for i := range uint64(500) {
		require.NoError(t, f.AddUint64(i))
	}
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	v, err := NewView(b, hashfam.Family{})
	require.NoError(t, err)
	for i := range uint64(1000) {
		require.True(t, i >= 500 || v.ContainsUint64(i), "lost key %d", i)
		require.Equal(t, f.ContainsUint64(i), v.ContainsUint64(i))
		require.Equal(t, f.CountUint64(i), v.CountUint64(i))
	}
}
