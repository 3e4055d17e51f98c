package countmin

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

func TestAViewAnswersEveryQuestionOfItsSketch(t *testing.T) {
	for _, p := range []Params{
		{Width: 101, Depth: 3, CounterBits: 32},
		{Width: 101, Depth: 3, CounterBits: 64},
		{Width: 100, Depth: 4, CounterBits: 32, Conservative: true},
	} {
		s, err := NewFromParams(p)
		require.NoError(t, err)
		for i := range uint64(300) {
			s.AddN([]byte(fmt.Sprint("key ", i)), i)
		}
		b, err := s.MarshalBinary()
		require.NoError(t, err)
		v, err := NewView(b, hashfam.Family{})
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		}
		require.NoError(t, err)
		require.NoError(t, v.Verify())
		require.Equal(t, s.Total(), v.Total())
		require.Equal(t, s.ErrorBound(), v.ErrorBound())
		require.Equal(t, s.SizeBytes(), v.SizeBytes())
		for i := range 400 {
			key := fmt.Sprint("key ", i)
			low, high := s.Bounds([]byte(key))
			for _, bounds := range []func() (uint64, uint64){
				func() (uint64, uint64) { return v.Bounds([]byte(key)) },
				func() (uint64, uint64) { return v.Bounds([]byte(key)) },
				func() (uint64, uint64) { return v.BoundsDigest(v.Params().Family.SumString(key)) },
			} {
				l, h := bounds()
				require.Equal(t, []uint64{low, high}, []uint64{l, h})
			}
		}
	}
}
