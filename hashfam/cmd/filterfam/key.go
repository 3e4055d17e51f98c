package main

import (
	"context"
	"fmt"
	"os"

	"github.com/filterfam/filterfam/hashfam"
)

// key prints a new key. A file can then be read only by its owner.
func key(c *command) func(ctx context.Context, names []string) error {
	c.document("key > FILE", "create a secret key", keyLong, keyExamples)
	return c.key
}

const keyLong = `
Creates a secret key for --key-file. Only the owner can read FILE.`

const keyExamples = `
  filterfam key > secret.key
  filterfam build --key-file secret.key -o words.filter words.txt`

func (c *command) key(_ context.Context, names []string) error {
	if len(names) > 0 {
		return fmt.Errorf("%q: want no arguments; the key is printed to standard output", names[0])
	}
	if info, err := os.Stdout.Stat(); err == nil && info.Mode().IsRegular() {
		if err := os.Stdout.Chmod(0o600); err != nil {
			return err
		}
	}
	k := hashfam.RandomKey()
	fmt.Fprintf(c.out, "%x\n", k[:])
	return nil
}
