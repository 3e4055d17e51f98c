package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/cmd/filterfam/internal/input"
	"github.com/filterfam/filterfam/internal/cli"
)

// keyVariable is the environment variable with the secret key.
const keyVariable = "FILTERFAM_KEY"

// addKey adds the flag for the secret key.
func (c *command) addKey() {
	c.Flags().StringVar(&c.keyFile, "key-file", "", "the secret key: 32 hexadecimal digits, or 16 bytes, in `FILE`;\notherwise, the variable FILTERFAM_KEY is used if it is set")
}

// family returns the family with the secret key, or the public family if there
// is no key.
func (c *command) family(ctx context.Context) (hashfam.Family, error) {
	if c.keyFile == "" {
		text := os.Getenv(keyVariable)
		if text == "" {
			return hashfam.Family{}, nil
		}
		return cli.Family([]byte(text), keyVariable)
	}
	data, err := readKey(ctx, c.keyFile)
	if err != nil {
		return hashfam.Family{}, fmt.Errorf("--key-file %w", err)
	}
	if len(data) == len(hashfam.Key{}) {
		return cli.FamilyOf(hashfam.Key(data), "--key-file "+c.keyFile)
	}
	if digits := bytes.TrimRight(data, "\r\n"); len(digits) != hex.EncodedLen(len(hashfam.Key{})) {
		return hashfam.Family{}, fmt.Errorf("--key-file %s: %d bytes, want 32 hexadecimal digits, or 16 bytes", c.keyFile, len(data))
	}
	return cli.Family(data, "--key-file "+c.keyFile)
}

// maxKeyFile is the size of the largest file that is read for its key.
const maxKeyFile = 1 << 10

// readKey returns the contents of a key file. It returns an error if the file
// is too large, without reading all of it, because a device may have no end.
func readKey(ctx context.Context, name string) ([]byte, error) {
	file, err := input.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxKeyFile+1))
	if err == nil && len(data) > maxKeyFile {
		err = fmt.Errorf("%s: more than %d bytes, want 32 hexadecimal digits, or 16 bytes", name, maxKeyFile)
	}
	return data, err
}

// addQuiet adds the flag that turns off the progress.
func (c *command) addQuiet() {
	c.Flags().BoolVarP(&c.progress.quiet, "quiet", "q", false, "show no progress")
}

// addForce adds the flag --force, which accepts a result that is otherwise an
// error.
func (c *command) addForce(force *bool, usage string) {
	c.Flags().BoolVar(force, "force", false, usage)
}

// limitFlag returns the flag that limits the number of keys.
func limitFlag(n cli.Number, memory cli.Size) string {
	if n > 0 {
		return fmt.Sprintf("-n %d", n)
	}
	return fmt.Sprintf("--memory %d", memory)
}

// checkRate checks the flag --fpr.
func checkRate(rate cli.Rate) error {
	if rate > 0 && rate < 1 {
		return nil
	}
	return fmt.Errorf("--fpr %g, want above 0 and below 1; 0.05 is 5%%", float64(rate))
}

// flagName returns a flag as it is usually written.
func flagName(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand
	}
	return "--" + f.Name
}
