//go:build (linux || darwin || freebsd) && !purego && (amd64 || arm64 || loong64 || mips64le || ppc64le || riscv64)

package static_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"

	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
)

// A list is a filter in a mapped file, which can be replaced while it is used.
type list struct {
	current atomic.Pointer[mapping]
}

// A mapping is unmapped when no goroutine uses it any more.
type mapping struct {
	filter *static.Filter
}

// contains can be called by any number of goroutines.
func (l *list) contains(key string) bool {
	m := l.current.Load()
	found := m.filter.ContainsString(key)
	runtime.KeepAlive(m) // until the lookup has ended
	return found
}

// replace maps another file. The file must never be truncated or written to;
// write a new one and rename it, as WriteFile does.
func (l *list) replace(name string) error {
	data, err := mapFile(name)
	if err != nil {
		return err
	}
	filter, err := static.NewView(data, hashfam.Family{})
	if err == nil {
		err = filter.Verify()
	}
	if err != nil {
		return errors.Join(err, syscall.Munmap(data))
	}
	m := &mapping{filter}
	runtime.AddCleanup(m, func(data []byte) { syscall.Munmap(data) }, data)
	l.current.Store(m)
	return nil
}

func Example_listReplacedWhileRead() {
	dir := hashfam.Must(os.MkdirTemp("", ""))
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "list")
	var l list
	for _, key := range []string{"apple", "pear"} {
		digests := []hashfam.Digest{hashfam.Family{}.SumString(key)}
		filter := hashfam.Must(static.New(context.Background(), static.Config{FPRate: 1e-6}, digests))
		if err := hashfam.WriteFile(name, filter); err != nil {
			fmt.Println(err)
		}
		if err := l.replace(name); err != nil {
			fmt.Println(err)
		}
		runtime.GC()
		fmt.Println(l.contains("apple"), l.contains("pear"))
	}
	// Output:
	// true false
	// false true
}
