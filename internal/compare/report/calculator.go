package report

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A calculator is package advice compiled for a page.
type calculator struct {
	Wasm     string      // gzip, base64
	WasmExec template.JS // Go's own glue between the two
}

const calculatorPackage = "github.com/filterfam/filterfam/internal/compare/calculator"

// compileCalculator compiles package advice. That takes the go command, the
// source of this module, and some seconds the first time.
func compileCalculator(ctx context.Context) (calculator, error) {
	root, err := goTool(ctx, nil, "env", "GOROOT")
	if err != nil {
		return calculator{}, err
	}
	glue, err := os.ReadFile(filepath.Join(strings.TrimSpace(root), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return calculator{}, err
	}
	wasm, err := compileWasm(ctx)
	if err != nil {
		return calculator{}, err
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return calculator{}, err
	}
	_, err = z.Write(wasm)
	if err = errors.Join(err, z.Close()); err != nil {
		return calculator{}, err
	}
	return calculator{base64.StdEncoding.EncodeToString(packed.Bytes()), template.JS(glue)}, nil
}

func compileWasm(ctx context.Context) ([]byte, error) {
	dir, err := os.MkdirTemp("", "filterfam")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "calculator.wasm")
	if _, err := goTool(ctx, []string{"GOOS=js", "GOARCH=wasm"},
		"build", "-trimpath", "-ldflags=-s -w", "-o", file, calculatorPackage); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// goTool runs the go command and returns what it prints.
func goTool(ctx context.Context, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		err = fmt.Errorf("go %s: %w: %s", args[0], err, bytes.TrimSpace(exit.Stderr))
	}
	return string(out), err
}
