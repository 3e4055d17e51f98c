package replace

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// needRoot skips a test that changes owners or mounts.
func needRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can change owners, mounts and attributes of files")
	}
}

// The IDs of users and groups that need not exist.
const (
	nobody = 65534
	owner  = 12345
	group  = 23456
	other  = 34567
)

// asNobody calls f. For root, this is done on a thread for which the file
// system checks permissions as for the user nobody, whose group is fsgid.
func asNobody(t *testing.T, fsgid int, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	done := make(chan error)
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked, so that the thread ends
		if _, _, err := syscall.RawSyscall(syscall.SYS_SETGROUPS, 0, 0, 0); err != 0 {
			done <- err
			return
		}
		if err := syscall.Setfsgid(fsgid); err != nil {
			done <- err
			return
		}
		if err := syscall.Setfsuid(nobody); err != nil {
			done <- err
			return
		}
		f()
	}()
	require.NoError(t, <-done)
}

// openFolder returns a new folder in which everybody can create files.
func openFolder(t *testing.T, mode os.FileMode) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(folder), 0o755))
	require.NoError(t, os.Chmod(folder, 0o777|mode))
	return folder
}

// owned creates a file with an owner, a group and a mode.
func owned(t *testing.T, name string, mode os.FileMode) {
	t.Helper()
	writeText(t, name, "old")
	require.NoError(t, os.Chown(name, owner, group))
	require.NoError(t, os.Chmod(name, mode))
}

// requireOwned checks the owner, the group and the mode of a file.
func requireOwned(t *testing.T, name string, uid, gid uint32, mode os.FileMode) {
	t.Helper()
	info, err := os.Stat(name)
	require.NoError(t, err)
	stat := info.Sys().(*syscall.Stat_t)
	require.Equal(t, []uint32{uid, gid}, []uint32{stat.Uid, stat.Gid})
	require.Equal(t, mode, info.Mode())
}

// Root keeps the owner and the group. A user who is in the group keeps only the
// group. For other users, the group of the new file gets no additional rights.
func TestOwnerAndGroupAreKeptIfTheSystemAllowsIt(t *testing.T) {
	needRoot(t)
	name := filepath.Join(openFolder(t, 0), "file")
	owned(t, name, 0o640)
	require.NoError(t, File(name, content("new")))
	requireText(t, name, "new")
	requireOwned(t, name, owner, group, 0o640)

	folder := openFolder(t, os.ModeSetgid)
	require.NoError(t, os.Chown(folder, -1, other)) // new files have this group
	name = filepath.Join(folder, "file")
	for _, test := range []struct {
		fsgid       int
		mode, after os.FileMode
	}{{group, 0o640, 0o640}, {group, 0o664, 0o664}, {nobody, 0o640, 0o600}, {nobody, 0o675, 0o655}, {nobody, 0o604, 0o644}} {
		owned(t, name, test.mode)
		asNobody(t, test.fsgid, func() { require.NoError(t, File(name, content("new"))) })
		requireText(t, name, "new")
		want := uint32(other)
		if test.fsgid == group {
			want = group
		}
		requireOwned(t, name, nobody, want, test.after)
	}
}

// Some mounts show one owner and one mode for all files, and refuse to change
// them. Here, this happens because the temporary file gets another owner.
func TestARefusedModeIsAnErrorOnlyIfItHasFewerRights(t *testing.T) {
	needRoot(t)
	for _, test := range []struct {
		old, temporary os.FileMode
		want           string
	}{
		{0o777, 0o777, "new"}, {0o644, 0o600, "new"}, {0o640, 0o644, "old"}, {0o440, 0o600, "old"},
	} {
		name := filepath.Join(openFolder(t, 0), "file")
		owned(t, name, test.old)
		refuse := func(file *os.File) error {
			failed := make(chan error)
			go func() { // on a thread that still belongs to root
				failed <- errors.Join(os.Chown(file.Name(), owner, -1), os.Chmod(file.Name(), test.temporary))
			}()
			return <-failed
		}
		var err error
		asNobody(t, group, func() { err = File(name, step(refuse)) })
		requireText(t, name, test.want)
		require.Len(t, tree(t, filepath.Dir(name)), 2)
		if test.want == "new" {
			require.NoError(t, err)
			requireOwned(t, name, owner, group, test.temporary)
			continue
		}
		require.ErrorIs(t, err, os.ErrPermission)
		require.EqualError(t, err, "replace "+name+": cannot get the mode "+test.old.String()+": operation not permitted")
	}
}

// A mount of a single file can be written, but not replaced.
func TestMountsOfSingleFilesAreRefused(t *testing.T) {
	needRoot(t)
	folder := t.TempDir()
	source := filepath.Join(folder, "source")
	name := filepath.Join(folder, "file")
	writeText(t, source, "source")
	writeText(t, name, "below")
	require.NoError(t, os.Symlink("file", filepath.Join(folder, "link")))
	if err := syscall.Mount(source, name, "", syscall.MS_BIND, ""); err != nil {
		t.Skip("cannot mount: ", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(name, 0)) })
	for _, file := range []string{name, filepath.Join(folder, "link")} {
		requireRefused(t, folder, file, "replace "+name+": is a mount: mount its folder (device or resource busy)")
		require.ErrorIs(t, Check(file), syscall.EBUSY)
	}
	target := &target{name: name} // as if it was mounted after the check
	temporary, err := target.createTemporary()
	require.NoError(t, err)
	n := &New{File: temporary, target: target}
	require.EqualError(t, n.Commit(), Check(name).Error())
	require.NoError(t, os.Remove(temporary.Name()))
	requireText(t, name, "source")
	require.NoError(t, Check(source))
}

// A folder that is a mount is not a problem, unless it can only be read.
func TestReadOnlyMountsAreRefused(t *testing.T) {
	needRoot(t)
	folder := t.TempDir()
	name := filepath.Join(folder, "file")
	if err := syscall.Mount("none", folder, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("cannot mount: ", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(folder, 0)) })
	requireReplaced(t, folder, name, name)
	require.NoError(t, syscall.Mount("none", folder, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, "size=64k"))
	requireRefused(t, folder, name, "read-only file system")
	outside := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(name, outside))
	requireRefused(t, folder, outside, "replace "+name+": folder "+folder+"/: read-only file system")
}

// In a sticky folder, for example /tmp, only owners can replace a file.
func TestFilesOfOthersInStickyFoldersAreRefused(t *testing.T) {
	needRoot(t)
	folder := openFolder(t, os.ModeSticky)
	name := filepath.Join(folder, "file")
	owned(t, name, 0o666)
	mine := filepath.Join(folder, "mine")
	asNobody(t, nobody, func() {
		requireRefused(t, folder, name, "replace "+name+": is immutable or append-only, or belongs to another user in a sticky folder (operation not permitted)")
		require.NoError(t, File(mine, content("new")))
		require.NoError(t, Check(mine))
		require.NoError(t, File(mine, content("newer")))
	})
	requireText(t, name, "old")
	require.NoError(t, Check(name)) // root can replace it
}

func TestImmutableAndAppendOnlyFilesAreRefused(t *testing.T) {
	needRoot(t)
	folder := t.TempDir()
	name := filepath.Join(folder, "file")
	writeText(t, name, "old")
	for _, attribute := range []string{"i", "a"} {
		if out, err := exec.Command("chattr", "+"+attribute, name).CombinedOutput(); err != nil {
			t.Skipf("this file system has no such files: %v %s", err, out)
		}
		t.Cleanup(func() { exec.Command("chattr", "-"+attribute, name).Run() }) // also after a failure
		requireRefused(t, folder, name, "is immutable or append-only")
		require.NoError(t, exec.Command("chattr", "-"+attribute, name).Run())
	}
}

// Without permission to write or read the folder, nothing is written.
func TestFoldersWithoutPermissionAreRefused(t *testing.T) {
	for _, mode := range []os.FileMode{0o555, 0o333} {
		folder := openFolder(t, 0)
		name := filepath.Join(folder, "file")
		writeText(t, name, "old")
		require.NoError(t, os.Chmod(name, 0o666))
		require.NoError(t, os.Chmod(folder, mode))
		asNobody(t, nobody, func() {
			err := Check(name)
			require.ErrorIs(t, err, os.ErrPermission)
			require.EqualError(t, err, "replace "+name+": folder "+folder+"/: permission denied")
			require.EqualError(t, File(name, content("new")), err.Error())
		})
		require.NoError(t, os.Chmod(folder, 0o755))
		requireText(t, name, "old")
		require.Len(t, tree(t, folder), 2)
	}
}
