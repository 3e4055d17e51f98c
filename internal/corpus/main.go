// Corpus chooses the inputs of fuzz targets that are worth keeping: for each
// target a set with the same coverage as all inputs, found greedily. The
// smallest inputs come first; one stays if it covers code that those before it
// do not. Of these, one stays if it covers code that those after it do not.
// "bash .ci/fuzz minimise" runs it.
//
//	corpus -bin TESTBINARY -dir PACKAGE -cache INPUTS
//
// The test binary must be built with -cover. INPUTS has a folder for each
// target. The chosen inputs, and no others, are then in PACKAGE/testdata/fuzz.
package main

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// mostBytes is the size of the largest file that is kept.
const mostBytes = 4 << 10

func main() {
	log.SetFlags(0)
	bin := flag.String("bin", "", "the test binary")
	dir := flag.String("dir", ".", "the folder of its package")
	cache := flag.String("cache", "", "the folder of inputs, with a folder for each target")
	flag.Parse()
	out, err := exec.Command(*bin, "-test.list", "^Fuzz").Output()
	if err != nil {
		log.Fatal(err)
	}
	for target := range strings.FieldsSeq(string(out)) {
		seeds := filepath.Join(*dir, "testdata", "fuzz", target)
		all, kept, size, err := minimise(*bin, *dir, seeds, filepath.Join(*cache, target))
		if err != nil {
			log.Fatalf("%s: %v", target, err)
		}
		fmt.Printf("%-32s %4d inputs, %3d kept, %6d bytes\n", target, all, kept, size)
	}
}

// minimise replaces the seeds of a target by the best of these and of the
// cached inputs.
func minimise(bin, dir, seeds, cache string) (all, kept, size int, err error) {
	inputs := read(seeds, cache)
	chosen := inputs
	for range 2 {
		if chosen, err = choose(bin, dir, seeds, chosen); err != nil {
			return 0, 0, 0, err
		}
		slices.Reverse(chosen)
	}
	if err := os.RemoveAll(seeds); err != nil || len(chosen) == 0 {
		return len(inputs), 0, 0, err
	}
	for _, input := range chosen {
		size += len(input)
	}
	return len(inputs), len(chosen), size, write(seeds, chosen, func(_ int, input []byte) string {
		return fmt.Sprintf("%x", sha256.Sum256(input))[:16]
	})
}

// read returns the distinct inputs in some folders, the smallest first.
func read(dirs ...string) [][]byte {
	var inputs [][]byte
	for _, dir := range dirs {
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, file := range files {
			if b, err := os.ReadFile(file); err == nil && len(b) <= mostBytes {
				inputs = append(inputs, b)
			}
		}
	}
	slices.SortFunc(inputs, func(a, b []byte) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return bytes.Compare(a, b)
	})
	return slices.CompactFunc(inputs, bytes.Equal)
}

// write writes each input to a file in dir.
func write(dir string, inputs [][]byte, name func(int, []byte) string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i, input := range inputs {
		if err := os.WriteFile(filepath.Join(dir, name(i, input)), input, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// choose returns the inputs that cover something new. It runs the target once,
// with all of them as seeds in order; the coverage after each is reported by
// conformance.FuzzBytes. A target that does not report keeps no input.
func choose(bin, dir, seeds string, inputs [][]byte) ([][]byte, error) {
	report, err := os.CreateTemp("", "coverage")
	if err != nil {
		return nil, err
	}
	defer os.Remove(report.Name())
	if err := os.RemoveAll(seeds); err != nil {
		return nil, err
	}
	if err := write(seeds, inputs, func(i int, _ []byte) string { return fmt.Sprintf("%06d", i) }); err != nil {
		return nil, err
	}
	target := filepath.Base(seeds)
	cmd := exec.Command(bin, "-test.run=^"+target+"$")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "FILTERFAM_COVERAGE="+report.Name())
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return better(report.Name(), target, inputs)
}

// better reads a report and returns the inputs after which the coverage is
// higher than after all before them. Inputs in the code of the target, which
// are always run, are named seed#0 and so on.
func better(report, target string, inputs [][]byte) ([][]byte, error) {
	text, err := os.ReadFile(report)
	if err != nil {
		return nil, err
	}
	var chosen [][]byte
	covered := 0.0
	for line := range strings.Lines(string(text)) {
		var name string
		var now float64
		if _, err := fmt.Sscan(line, &name, &now); err != nil {
			return nil, err
		}
		var i int
		_, err := fmt.Sscanf(name, target+"/%06d", &i)
		if err == nil && now > covered {
			chosen = append(chosen, inputs[i])
		}
		covered = max(covered, now)
	}
	return chosen, nil
}
