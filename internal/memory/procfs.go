package memory

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// limitIn returns the lowest limit in the files of Linux.
func limitIn(root fs.FS) uint64 {
	least := uint64(unknown)
	if kib, known := number(root, "proc/meminfo", "MemTotal:"); known {
		least = min(least, kib*1024)
	}
	if bytes, known := number(root, "proc/self/limits", "Max address space"); known {
		least = min(least, spared(bytes-min(bytes, reserved(root))))
	}
	if bytes, known := number(root, "proc/self/limits", "Max data size"); known {
		least = min(least, spared(bytes))
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

// reserved returns the number of addresses that this process has reserved
// without using them. Go's runtime reserves a gigabyte.
func reserved(root fs.FS) uint64 {
	all, _ := number(root, "proc/self/status", "VmSize:")
	data, _ := number(root, "proc/self/status", "VmData:")
	return 1024 * (all - min(all, data))
}

// spared returns the number of bytes that are left for structures if this
// process can use the given number. The rest is needed for the program itself,
// and because Go's runtime gets memory from the system in units of up to 64
// MiB.
func spared(bytes uint64) uint64 { return max(bytes/4, bytes-min(bytes, 128<<20)) }

// groupLimit returns the lowest limit of a control group and those that contain
// it. In a container, only the files of the outermost group may be visible.
func groupLimit(root fs.FS, folder, group, name string) uint64 {
	least := uint64(unknown)
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
