package hashfam_test

import (
	"runtime/debug"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// TestSumAllReadsNothingBesideTheKeys has keys that begin or end where a page
// without access begins or ends: a read beyond them is a fault.
func TestSumAllReadsNothingBesideTheKeys(t *testing.T) {
	page := syscall.Getpagesize()
	pages, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	defer func() { require.NoError(t, syscall.Munmap(pages)) }()
	text := pages[page : 2*page]
	copy(text, noise(page))
	require.NoError(t, syscall.Mprotect(pages[:page], syscall.PROT_NONE))
	require.NoError(t, syscall.Mprotect(pages[2*page:], syscall.PROT_NONE))

	eachWay(t, func(t *testing.T) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		require.Panics(t, func() { sink ^= hashfam.Digest(pages[2*page]) }, "a fault is seen")
		f := hashfam.New(ascending())
		for n := range 131 {
			keys := make([][]byte, []int{7, 8, 15, 16}[n%4])
			for spread := range 41 {
				for i := range keys {
					length := n + i*spread/len(keys)
					keys[i] = text[page-length:]
					if (i+n/4)%2 == 0 {
						keys[i] = text[:length]
					}
				}
				require.NotPanics(t, func() { sinkAll = f.SumAll(sinkAll[:0], keys) }, "%d %d", n, spread)
				if spread%8 == 0 {
					require.Equal(t, one(f, keys), sinkAll)
				}
			}
		}
	})
}
