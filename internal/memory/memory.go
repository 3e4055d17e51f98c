// Package memory returns how much memory there is, so that a program can refuse
// a structure that does not fit. Without this, Go's runtime or the system would
// end the program when it allocates the structure.
package memory

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/filterfam/filterfam/internal/sizing"
)

// Check returns an error if this number of bytes is more than [Limit].
func Check(bytes uint64) error {
	if limit := Limit(); bytes > limit {
		return fmt.Errorf("needs %d bytes of memory, but only %d are there", bytes, limit)
	}
	return nil
}

// Limit returns the largest number of bytes that this process can use. On
// Linux, this is the machine's memory without swap, of which other processes
// may use a part, or a lower limit for this process or its control groups. On
// other systems, Limit returns the size of the largest structure.
func Limit() uint64 { return limit(os.DirFS("/")) }

func limit(root fs.FS) uint64 {
	least := uint64(sizing.MaxBytes)
	if kib, known := number(root, "proc/meminfo", "MemTotal:"); known {
		least = min(least, kib*1024)
	}
	if bytes, known := number(root, "proc/self/limits", "Max address space"); known {
		least = min(least, bytes)
	}
	groups, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(groups)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		switch fields[1] {
		case "": // version 2
			least = min(least, groupLimit(root, "sys/fs/cgroup", fields[2], "memory.max"))
		case "memory":
			least = min(least, groupLimit(root, "sys/fs/cgroup/memory", fields[2], "memory.limit_in_bytes"))
		}
	}
	return least
}

// groupLimit returns the lowest limit of a control group and those that contain
// it. In a container, only the files of the outermost group may be visible.
func groupLimit(root fs.FS, folder, group, name string) uint64 {
	least := uint64(sizing.MaxBytes)
	for group = path.Clean("/" + group); ; group = path.Dir(group) {
		if bytes, known := number(root, path.Join(folder, group, name), ""); known {
			least = min(least, bytes)
		}
		if group == "/" {
			return least
		}
	}
}

// number returns the first number after a label in a file. It returns false if
// there is none, for example because there is no limit.
func number(root fs.FS, name, label string) (uint64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	_, after, found := strings.Cut(string(text), label)
	fields := strings.Fields(after)
	if !found || len(fields) == 0 {
		return 0, false
	}
	n, err := strconv.ParseUint(fields[0], 10, 64)
	return n, err == nil
}
