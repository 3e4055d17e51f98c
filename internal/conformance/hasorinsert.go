package conformance

import (
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// HasOrInserts checks that query and insertion in one call return the answer of
// the query, insert the key if it is absent, and change nothing if it is found.
func (s Suite[T]) HasOrInserts(t *rapid.T) {
	if s.HasOrInsert == nil {
		return
	}
	fam := drawFamily(t)
	plain := s.Fresh(t, fam)
	f, text, digest := s.Like(plain), s.Like(plain), s.Like(plain)
	for _, k := range drawKeys(t, "keys") {
		had := s.Has(plain, k)
		var want error
		if !had || s.HasOrInsertAlways {
			want = s.Insert(plain, k)
		}
		check := func(form string, g T, found bool, err error) {
			require.Equal(t, had, found, form)
			require.Equal(t, want, err, form)
			require.True(t, g.Equal(plain), form)
		}
		found, err := s.HasOrInsert(f, k)
		check("byte form", f, found, err)
		found, err = s.HasOrInsertString(text, string(k))
		check("string form", text, found, err)
		found, err = s.HasOrInsertDigest(digest, fam.Sum(k))
		check("digest form", digest, found, err)
	}
	if s.HasOrInsertUint64 != nil {
		key := rapid.Uint64().Draw(t, "integer")
		want, wantErr := s.HasOrInsertDigest(plain, fam.SumUint64(key))
		found, err := s.HasOrInsertUint64(f, key)
		require.Equal(t, want, found, "integer form")
		require.Equal(t, wantErr, err, "integer form")
		require.True(t, f.Equal(plain), "integer form")
	}
}
