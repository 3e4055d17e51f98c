package cuckoo

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

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
