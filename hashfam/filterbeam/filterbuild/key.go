package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/filterbeam"
	"github.com/filterfam/filterfam/internal/cli"
)

// keyVariable is the environment variable that contains the secret key. It has
// the same name as for the command filterfam.
const keyVariable = "FILTERFAM_KEY"

func init() {
	if err := filterbeam.RegisterFamily("environment", keyedFamily); err != nil {
		panic(err) // no other family is registered here
	}
}

// keyedFamily returns the family with the secret key in the environment.
func keyedFamily() (hashfam.Family, error) {
	text := os.Getenv(keyVariable)
	if text == "" {
		return hashfam.Family{}, errors.New(keyVariable + " is not set in this worker")
	}
	return cli.Family([]byte(text), keyVariable)
}

// family returns the family with the secret key, or the public family if there
// is none. It copies the key in -key-file, if this is set, to the environment,
// for workers that this process starts.
func (o *options) family() (hashfam.Family, error) {
	if o.keyFile != "" {
		key, err := readKey(o.keyFile)
		if err != nil {
			return hashfam.Family{}, err
		}
		if err := os.Setenv(keyVariable, hex.EncodeToString(key)); err != nil {
			return hashfam.Family{}, err
		}
	}
	if os.Getenv(keyVariable) == "" {
		return hashfam.Family{}, nil
	}
	return keyedFamily()
}

// maxKeyFile is the size of the largest file that is read for its key.
const maxKeyFile = 1 << 10

// readKey returns the key in a file: 32 hexadecimal digits, or 16 bytes.
func readKey(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("-key-file %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxKeyFile))
	if err != nil {
		return nil, fmt.Errorf("-key-file %w", err)
	}
	source := "-key-file " + name
	if len(data) == len(hashfam.Key{}) {
		_, err = cli.FamilyOf(hashfam.Key(data), source)
		return data, err
	}
	if _, err := cli.Family(data, source); err != nil {
		return nil, err
	}
	return hex.DecodeString(string(data[:hex.EncodedLen(len(hashfam.Key{}))]))
}
