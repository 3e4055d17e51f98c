package lint

import (
	"go/build"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	// added matches a line that lists a name: its package, the name, and a
	// field or method of an interface.
	added = regexp.MustCompile(`^pkg (\S+?)(?: \([\w-]+\))?, (?:const|func|type|var) (\w+)(?: (?:struct|interface), (\w+))?`)
	// addedMethod matches a line that lists a method: its package and type.
	addedMethod = regexp.MustCompile(`^pkg (\S+?)(?: \([\w-]+\))?, method \(\*?(\w+)[^)]*\) (\w+)`)
	goVersion   = regexp.MustCompile(`(?m)^go 1\.(\d+)`)
)

// A module must compile with the version of Go that its go.mod names. The
// compiler checks the language, and this test checks the names of the standard
// library, using Go's lists of the names that each version has added.
func TestNoNameIsNewerThanTheGoVersion(t *testing.T) {
	api := filepath.Join(strings.TrimSpace(goOutput(t, "env", "GOROOT")), "api")
	if _, err := os.Stat(api); err != nil {
		t.Skip("this installation of Go does not list the names of each version: ", err)
	}
	defer func(enabled bool) { build.Default.CgoEnabled = enabled }(build.Default.CgoEnabled)
	build.Default.CgoEnabled = false
	u := typed()
	infos := map[int][]*types.Info{} // by version
	for _, dir := range u.dirs(t) {
		version := versionOf(t, dir)
		f := u.folder(dir)
		for _, files := range [][]string{slices.Concat(f.GoFiles, f.TestGoFiles), f.XTestGoFiles} {
			info := newInfo()
			u.check(module+"/"+dir+"_test", dir, files, info)
			infos[version] = append(infos[version], info)
		}
	}
	require.Greater(t, len(infos[versionOf(t, ".")]), 50)
	for version, all := range infos {
		newer := u.newerNames(t, api, version)
		for _, info := range all {
			for id, o := range info.Uses {
				name, found := newer[o.Pos()]
				assert.False(t, found, "%v: %s is newer than Go 1.%d, which go.mod names", u.set.Position(id.Pos()), name, version)
			}
		}
	}
}

// versionOf returns the minor version of Go in the go.mod of a folder's module.
func versionOf(t *testing.T, dir string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, dir, "go.mod"))
	if err != nil {
		return versionOf(t, path.Dir(dir))
	}
	version, err := strconv.Atoi(goVersion.FindStringSubmatch(string(text))[1])
	require.NoError(t, err)
	return version
}

// newerNames returns the names that versions after this one have added to
// packages that the module imports, and where they are declared.
func (u *uses) newerNames(t *testing.T, api string, version int) map[token.Pos]string {
	t.Helper()
	found := map[token.Pos]string{}
	for {
		version++
		text, err := os.ReadFile(filepath.Join(api, "go1."+strconv.Itoa(version)+".txt"))
		if err != nil {
			return found
		}
		for line := range strings.Lines(string(text)) {
			m := added.FindStringSubmatch(line)
			if m == nil {
				m = addedMethod.FindStringSubmatch(line)
			}
			if m == nil || strings.Contains(line, "//deprecated") || !u.imported(m[1]) {
				continue
			}
			if o := u.declaration(m[1], m[2], m[3]); o != nil {
				found[o.Pos()] = strings.TrimSuffix(strings.Join(m[1:], "."), ".")
			}
		}
	}
}

// imported reports whether a file of the module imports a package.
func (u *uses) imported(pkg string) bool {
	for _, f := range u.parsed {
		for _, i := range f.Imports {
			if i.Path.Value == strconv.Quote(pkg) {
				return true
			}
		}
	}
	return false
}

// declaration returns a name of a package of the standard library, or a field
// or method of it. It returns nil if the system has no such name.
func (u *uses) declaration(pkg, name, member string) types.Object {
	p, err := u.standard.Import(pkg)
	if err != nil {
		return nil
	}
	o := p.Scope().Lookup(name)
	if o == nil || member == "" {
		return o
	}
	inner, _, _ := types.LookupFieldOrMethod(o.Type(), true, p, member)
	return inner
}
