package cuckoo

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// The suite has all questions; here the bytes may begin anywhere.
func TestAViewOfBytesAtAnyAddress(t *testing.T) {
	for _, p := range kinds {
		f := mustNew(t, p)
		for i := range 300 {
			require.NoError(t, f.AddString(fmt.Sprint("key ", i/2)))
		}
		b, err := f.MarshalBinary()
		require.NoError(t, err)
		for shift := range 8 {
			v, err := NewView(append(make([]byte, shift), b...)[shift:], p.Family)
			require.NoError(t, err)
			require.NoError(t, v.Verify())
			for i := range 400 {
				key := fmt.Sprint("key ", i)
				require.Equal(t, f.CountString(key), v.CountString(key))
			}
		}
	}
}
