package measure

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var kept []byte

// What is allocated once, such as a table of a library, is no part of a set.
func TestTheHeapOfAFewKeysIsSmall(t *testing.T) {
	once := false
	bytes, err := heapGrowth(func() (any, error) {
		if !once {
			once, kept = true, make([]byte, 100_000)
		}
		return make(map[string]struct{}, 2), nil
	})
	require.NoError(t, err)
	assert.Less(t, bytes, uint64(10_000))
}
