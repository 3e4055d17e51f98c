package hashfam

import (
	"runtime/debug"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/checks/machine"
)

// islandPage returns a page between two inaccessible pages. Until the test
// ends, a read beyond the page causes a panic.
func islandPage(t *testing.T) []byte {
	page := syscall.Getpagesize()
	pages, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(pages)) })
	copy(pages[page:2*page], noise(page))
	require.NoError(t, syscall.Mprotect(pages[:page], syscall.PROT_NONE))
	require.NoError(t, syscall.Mprotect(pages[2*page:], syscall.PROT_NONE))
	before := debug.SetPanicOnFault(true)
	t.Cleanup(func() { debug.SetPanicOnFault(before) })
	require.Panics(t, func() { sink ^= Digest(pages[2*page]) }, "a fault must panic")
	return pages[page : 2*page]
}

// Keys start or end at a page boundary.
func TestHasherReadsOnlyTheKey(t *testing.T) {
	machine.Matters(t)
	text, f := islandPage(t), New(ascending())
	for _, h := range hashers(f) {
		for n := range 100 {
			for _, key := range [][]byte{text[:n], text[len(text)-n:]} {
				require.NotPanics(t, func() { sink = h.Sum(key) }, n)
				require.Equal(t, f.Sum(append([]byte{}, key...)), sink)
			}
		}
	}
}

// Keys start or end at a page boundary.
func TestSumAllReadsOnlyTheKeys(t *testing.T) {
	machine.Matters(t)
	eachWay(t, func(t *testing.T) {
		text := islandPage(t)
		page := len(text)
		f := New(ascending())
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
