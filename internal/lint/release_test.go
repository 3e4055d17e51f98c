package lint

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A clone is a repository whose origin is bare, and whose main branch has the
// files that .ci/release looks at.
type clone struct {
	*testing.T
	dir     string
	environ []string
}

func newClone(t *testing.T) clone {
	t.Helper()
	for _, program := range []string{"bash", "git"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("there is no", program)
		}
	}
	c := clone{t, t.TempDir(), gitEnvironment(t)}
	origin := t.TempDir()
	c.git("init", "-q", "-b", "main")
	c.git("init", "-q", "--bare", origin)
	c.git("remote", "add", "origin", origin)
	c.write(".ci/release", read(t, ".ci/release"))
	c.write("go.mod", "module example.org/none\n\ngo 1.25\n")
	c.write("docs/changelog.md", "## 1.2.3 (2027-01-31)\n\n## 1.2.2 (not released yet)\n\n## 0.9.0 (2026-12-31)\n")
	c.commit()
	c.push()
	return c
}

// gitEnvironment returns an environment in which git ignores the settings of
// the user and of a git that called this program. It also starts no
// maintenance, which could still write files after the command has ended.
func gitEnvironment(t *testing.T) []string {
	t.Helper()
	settings := filepath.Join(t.TempDir(), "settings")
	require.NoError(t, os.WriteFile(settings, []byte("[maintenance]\nauto = false\n[gc]\nauto = 0\n[receive]\nautogc = false\n"), 0o600))
	environ := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	return append(environ, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+settings)
}

func (c clone) git(args ...string) {
	c.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=test", "-c", "user.email=test"}, args...)...)
	cmd.Dir = c.dir
	cmd.Env = c.environ
	out, err := cmd.CombinedOutput()
	require.NoError(c, err, "%s", out)
}

func (c clone) write(name, text string) {
	c.Helper()
	file := filepath.Join(c.dir, name)
	require.NoError(c, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(c, os.WriteFile(file, []byte(text), 0o600))
}

func (c clone) commit() {
	c.Helper()
	c.git("add", "-A")
	c.git("commit", "-q", "-m", "a commit")
}

func (c clone) push() {
	c.Helper()
	c.git("push", "-q", "origin", "HEAD:main")
}

// release runs .ci/release and returns its output.
func (c clone) release(args ...string) (string, error) {
	cmd := exec.Command("bash", append([]string{".ci/release"}, args...)...)
	cmd.Dir = c.dir
	cmd.Env = c.environ
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Nothing must be tagged unless everything is ready. With -n, the script goes
// on.
func TestReleasesAreRefused(t *testing.T) {
	c := newClone(t)
	for _, version := range []string{"v1.2.3", "v0.9.0"} {
		out, err := c.release(version)
		require.NoError(t, err, out)
		require.Contains(t, out, "git push origin "+version+"\n")
	}
	for _, step := range []struct {
		name    string
		do      func()
		version string
		want    string
	}{
		{"another version", func() {}, "v2.0.0", "want a version such as v1.2.3"},
		{"no section", func() {}, "v1.2.4", "has no section 1.2.4"},
		{"no date", func() {}, "v1.2.2", "has no date: ## 1.2.2 (not released yet)"},
		{"a changed file", func() { c.write("new", "") }, "v1.2.3", "not committed"},
		{"not pushed", c.commit, "v1.2.3", "HEAD is not the main branch of origin"},
		{"another branch", func() { c.push(); c.git("switch", "-q", "-c", "topic") }, "v1.2.3", "the branch is 'topic', not main"},
		{"a tag", func() { c.git("switch", "-q", "main"); c.git("tag", "v1.2.3") }, "v1.2.3", "the tag v1.2.3 exists"},
	} {
		step.do()
		out, err := c.release(step.version)
		require.Error(t, err, step.name)
		require.Contains(t, out, "release: ", step.name)
		require.Contains(t, out, step.want, step.name)
		require.NotContains(t, out, "git push", step.name)
	}
	out, err := c.release("-n", "v1.2.2")
	require.NoError(t, err, out)
	require.Contains(t, out, "not ready: docs/changelog.md has no date")
	require.True(t, strings.HasSuffix(out, "git push origin HEAD \n"), out)
}
