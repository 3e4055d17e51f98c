//go:build !race

package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// CanLimitMemory tells whether this build can limit and measure the memory of a
// process.
const CanLimitMemory = true

// controlGroup makes a control group with a limit of memory for one process. It
// returns its directory, or "none" if this process may not make one, and a
// function that removes it.
func controlGroup() (dir string, remove func()) {
	for _, g := range []struct{ parent, file string }{
		{"/sys/fs/cgroup", "memory.max"},                   // version 2
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, // version 1
	} {
		dir, err := os.MkdirTemp(g.parent, "filterfam-")
		if err != nil {
			continue
		}
		remove := func() { os.Remove(dir) }
		if set(dir, g.file, strconv.Itoa(hostileRoom)) == nil {
			return dir, remove
		}
		remove()
	}
	return "none", func() {}
}

// set writes a value to a file of the kernel, which exists.
func set(dir, file, value string) error {
	f, err := os.OpenFile(filepath.Join(dir, file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

// limitMemory enters a control group and limits the address space.
func limitMemory(group string) error {
	if group != "none" {
		if err := set(group, "cgroup.procs", strconv.Itoa(os.Getpid())); err != nil {
			return err
		}
	}
	size, err := status("VmSize")
	if err != nil {
		return err
	}
	limit := size + hostileRoom
	return syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: limit, Max: limit})
}

// resetPeak sets the peak of the resident memory to what is resident now, if
// the kernel lets it, and returns it.
func resetPeak() (uint64, error) {
	set("/proc/self", "clear_refs", "5") // else the peak so far is where to start
	return peak()
}

// peak returns the peak of the resident memory in bytes.
func peak() (uint64, error) { return status("VmHWM") }

// status returns a field of /proc/self/status in bytes.
func status(field string) (uint64, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	var kilobytes uint64
	_, after, _ := bytes.Cut(text, []byte("\n"+field+":"))
	_, err = fmt.Sscan(string(after), &kilobytes)
	return kilobytes << 10, err
}
