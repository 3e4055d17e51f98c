// Package pattern finds files whose names may contain the special characters of
// patterns.
package pattern

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// Loose returns a pattern that matches name, and perhaps other names, since it
// contains asterisks instead of special characters. Escapes do not work
// everywhere: on Windows, a backslash separates folders, and a store (gs or s3)
// looks for names that begin with the text before the first asterisk, including
// its backslashes.
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
