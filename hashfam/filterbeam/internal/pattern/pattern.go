// Package pattern makes patterns for files, whatever characters are in their
// names.
package pattern

import (
	"path/filepath"
	"strings"
)

// Loose returns a pattern that matches name, and perhaps other names. It has no
// escapes: Windows has none, and stores list what begins with all that is
// before the first asterisk. On Windows a backslash separates folders.
func Loose(name string) string {
	if filepath.Separator != '\\' {
		name = strings.ReplaceAll(name, `\`, `*`)
	}
	return strings.NewReplacer(`?`, `*`, `[`, `*`).Replace(name)
}
