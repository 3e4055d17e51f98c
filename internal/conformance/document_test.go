package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestACellShowsItsBytes(t *testing.T) {
	for cell, want := range map[string][]byte{
		" `f1 66` `01` ":            {0xf1, 0x66, 1},
		" `00` x 3 ":                {0, 0, 0},
		" `01` `00` x 2 `03` ":      {1, 0, 0, 3},
		" `00` ":                    {0},
		" `00 ...` ":                {0},
		" `...` ":                   {},
		" `00` x 10 `ff` `00` x 1 ": {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0},
	} {
		shown, err := shownBytes(cell)
		require.NoError(t, err, cell)
		require.Equal(t, want, shown, cell)
	}
	for _, cell := range []string{"`0`", "`00` x", "`01` x 2", "two"} {
		_, err := shownBytes(cell)
		require.Error(t, err, cell)
	}
}
