package hashfam

import (
	"errors"
	"io"

	"github.com/filterfam/filterfam/internal/replace"
)

// WriteFile writes a structure to the named file, using its WriteTo method:
//
//	err := hashfam.WriteFile("seen.bloom", filter)
//
// It replaces an existing file, but only when the new contents are complete and
// on the disk. If the program or the machine crashes, the file is therefore
// either the old one or the new one. If WriteFile returns nil, it is the new
// one.
//
// The new file has the mode, the group and the owner of the existing file, or
// mode 0600 if there is none. If the system does not allow this owner, the file
// belongs to the user of the process. If the system does not allow this group,
// the file has another group, which gets only the rights of all other users.
// Other attributes, for example access control lists, are those of a new file.
// As with os.WriteFile, if name is a symbolic link, the file that it refers to
// is replaced. Concurrent calls with the same name do not interfere, and the
// last one wins.
//
// WriteFile returns [ErrParams] if w is nil, or if name is empty, a loop of
// links, a folder, a device or another file that is not regular. It also
// returns the errors of w and of the file system, which must allow it to read
// and write the folder and to replace the file. Replacing is impossible, for
// example, if only the file, and not its folder, is mounted into a container.
// After an error, the file is unchanged, unless the error says that it was
// replaced: then, only syncing the folder failed, so that a crash could bring
// back the old file.
//
// WriteFile first writes a temporary file to the same folder, and removes it if
// there is an error or a panic. If the program is killed or the machine
// crashes, this file stays there. For a file "seen.bloom", the temporary name
// consists of ".filterfam-seen.bloom-" and decimal digits. If a file name has
// 100 bytes or more, the temporary name does not contain it, but 16 hexadecimal
// digits that are computed from it. Such files can be deleted while no program
// calls WriteFile for this name:
//
//	rm .filterfam-seen.bloom-*
func WriteFile(name string, w io.WriterTo) error {
	if w == nil {
		return fieldError(ErrParams, "w", nil, "a structure or another io.WriterTo")
	}
	if name == "" {
		return fieldError(ErrParams, "name", "empty", "the name of a file")
	}
	err := replace.File(name, w)
	var wrong replace.NotFile
	if errors.As(err, &wrong) {
		return fieldError(ErrParams, "name", name, "the name of a regular file: this "+wrong.Error())
	}
	return err
}
