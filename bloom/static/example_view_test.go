//go:build (linux || darwin || freebsd) && !purego && (amd64 || arm64 || loong64 || mips64le || ppc64le || riscv64)

package static_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
)

// ship writes the file. The two lists contain the digests of all certificates,
// which are computed from the issuer and the serial number, so no other key can
// be looked up, and any rate for strangers will do.
func ship(name string, revoked, valid []hashfam.Digest) error {
	list, err := static.NewExact(context.Background(), static.Config{FPRate: 1}, revoked, valid)
	if err != nil {
		return err
	}
	return hashfam.WriteFile(name, list)
}

// mapFile maps a file into memory. Call syscall.Munmap with the result when no
// lookup uses it any more.
func mapFile(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return syscall.Mmap(int(file.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
}

func Example_revokedCertificates() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	var revoked, valid []hashfam.Digest
	for i := range 100_000 {
		// The clients also use the public family.
		if d := (hashfam.Family{}).SumString(fmt.Sprint("CA 7, ", i)); i%100 == 0 {
			revoked = append(revoked, d)
		} else {
			valid = append(valid, d)
		}
	}
	name := filepath.Join(dir, "revoked")
	if err := ship(name, revoked, valid); err != nil {
		fmt.Println(err)
		return
	}
	data, err := mapFile(name)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer syscall.Munmap(data)
	list, err := static.NewView(data, hashfam.Family{})
	if err != nil {
		fmt.Println(err)
		return
	}
	file, err := os.Stat(name)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(file.Size(), "bytes", list.Verify())
	fmt.Println(list.ContainsString("CA 7, 100"), list.ContainsString("CA 7, 101"))
	// Output:
	// 1264 bytes <nil>
	// true false
}

func ExampleNewView() {
	c := static.Config{FPRate: 0.001}
	f, err := static.New(context.Background(), c, c.Family.SumAllStrings(nil, []string{"example.org", "example.com"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := f.MarshalBinary() // or the bytes of a mapped file
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := static.NewView(data, f.Family())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.ContainsString("example.org"), v.Contains([]byte("example.net")))
	fmt.Println(v.Verify(), v)
	g := static.NewReceiver(f.Family()) // for a deep copy
	err = g.UnmarshalBinary(data)
	fmt.Println(g.Equal(v), err)
	// Output:
	// true false
	// <nil> static.Filter(2 keys, 9.976 columns, 1 layers, 168 bytes, family public)
	// true <nil>
}
