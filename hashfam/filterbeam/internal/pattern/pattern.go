// Package pattern makes patterns for files, whatever characters are in their
// names.
package pattern

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
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

// Exists reports whether a file exists.
func Exists(ctx context.Context, fs filesystem.Interface, name string) (bool, error) {
	names, err := fs.List(ctx, Loose(name))
	same := func(other string) bool { return filepath.Clean(other) == filepath.Clean(name) }
	return slices.ContainsFunc(names, same), err
}
