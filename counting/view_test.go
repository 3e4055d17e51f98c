package counting

import (
	"errors"
	"fmt"
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

func TestViewsAnswerForIntegers(t *testing.T) {
	f, err := New(Config{Capacity: 1000, FPRate: 0.01})
	require.NoError(t, err)
	for i := range uint64(500) {
		f.AddUint64(i)
	}
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	v, err := NewView(b, hashfam.Family{})
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	require.NoError(t, err)
	for i := range uint64(1000) {
		require.True(t, i >= 500 || v.ContainsUint64(i), "lost key %d", i)
		require.Equal(t, f.ContainsUint64(i), v.ContainsUint64(i))
		require.Equal(t, f.CountUint64(i), v.CountUint64(i))
	}
}
