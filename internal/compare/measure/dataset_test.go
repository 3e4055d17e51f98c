package measure

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDefaultDataIsTheEmbeddedDomains(t *testing.T) {
	d, err := loaded(t, Source{}, "")
	require.NoError(t, err)
	assert.Equal(t, 18147, d.Members.Len())
	assert.Equal(t, 19717, d.Absent.Len())
	assert.Empty(t, d.Notes)
}

func TestFilesAreReadAndCleaned(t *testing.T) {
	o := Source{KeysFile: write(t, "a\nb\n\na\n"), AbsentFile: "-"}
	d, err := loaded(t, o, "c\nb\nd\nd\n")
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, list(&d.Members))
	assert.Equal(t, []string{"c", "d"}, list(&d.Absent))
	assert.Equal(t, []string{
		"lines of -keys that were left out: 1 empty, 1 repeated, 0 of members",
		"lines of -absent that were left out: 0 empty, 1 repeated, 1 of members",
	}, d.Notes)
	assert.Contains(t, d.About, "standard input")
}

func TestAbsentKeysAreMadeUpIfNoneAreGiven(t *testing.T) {
	d, err := loaded(t, Source{KeysFile: "-"}, "a\nb")
	require.NoError(t, err)
	absent := list(&d.Absent)
	assert.Len(t, absent, 100_000)
	seen := map[string]bool{"a": true, "b": true}
	for _, key := range absent {
		require.False(t, seen[key], key)
		seen[key] = true
	}
	require.Len(t, d.Notes, 2)
	assert.Contains(t, d.Notes[0], "random ending")
}

// Absent keys made of long members have only the end of them: copies of whole
// members would take hundreds of times the memory of the file.
func TestMadeUpKeysOfLongMembersAreShort(t *testing.T) {
	end := strings.Repeat("e", absentEnd)
	absent := makeAbsent(newKeySet("ab"+end, "b"+end, end))
	require.Equal(t, 100_000, absent.Len())
	for _, key := range list(&absent.Keys) {
		require.True(t, len(key) == absentEnd+8 && strings.HasPrefix(key, end), key)
	}
}

func TestSyntheticKeysAreDistinct(t *testing.T) {
	d, err := loaded(t, Source{Synthetic: 1000}, "")
	require.NoError(t, err)
	assert.Equal(t, 1000, d.Members.Len())
	assert.Equal(t, absentGoal, d.Absent.Len())
	seen := make(map[string]struct{})
	for _, l := range []*Keys{&d.Members, &d.Absent} {
		for i := range l.Len() {
			require.Len(t, l.At(i), 16)
			seen[string(l.At(i))] = struct{}{}
		}
	}
	assert.Len(t, seen, 1000+absentGoal)
}
