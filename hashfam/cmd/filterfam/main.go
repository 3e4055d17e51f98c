// Filterfam builds, queries and inspects probabilistic filters. Each line of
// its input is a key.
//
//	filterfam build -o FILE [FILE...]     build a filter from lines
//	filterfam query FILTER [FILE...]      print the lines that may be in a filter
//	filterfam uniq                        print each line when it is first seen
//	filterfam top [FILE...]               print the most frequent lines
//	filterfam info FILE...                describe the structures in files
//	filterfam merge -o FILE A B...        merge structures
//	filterfam plan                        list structures with their sizes
//	filterfam key > FILE                  create a secret key
//	filterfam help [SUBCOMMAND]           print help
//
// The exit status is 0, or 1 if query has printed no line, or 2 after an error,
// or 130 after an interrupt. See docs/command.md.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/filterfam/filterfam/internal/cli"
	"github.com/filterfam/filterfam/internal/memory"
)

// The exit codes other than 0.
const (
	nothingFound = 1
	failed       = 2
	interrupted  = 130
)

// A subcommand runs with the arguments after its name.
type subcommand struct {
	name string
	help string
	run  func(ctx context.Context, c *command) error
}

func subcommands() []subcommand {
	return []subcommand{
		{"build", buildHelp, build}, {"query", queryHelp, query}, {"uniq", uniqHelp, uniq}, {"top", topHelp, top},
		{"info", infoHelp, info}, {"merge", mergeHelp, merge}, {"plan", planHelp, plan}, {"key", keyHelp, key},
	}
}

func main() {
	args := os.Args[1:]
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, overview)
		os.Exit(failed)
	}
	if args[0] == "help" || args[0] == "-h" || args[0] == "-help" || args[0] == "--help" {
		os.Exit(help(args[1:]))
	}
	for _, sub := range subcommands() {
		if sub.name == args[0] {
			os.Exit(start(sub, args[1:]))
		}
	}
	fmt.Fprintf(os.Stderr, "filterfam: %q is not a subcommand; try filterfam help\n", args[0])
	os.Exit(failed)
}

// start runs a subcommand and returns the exit code.
func start(sub subcommand, args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the process at once
	}()
	collectEarly()
	c := newCommand(sub.name, args)
	err := sub.run(ctx, c)
	if err == nil || errors.Is(err, errNothing) {
		if flushed := c.out.Flush(); flushed != nil {
			err = flushed
		}
	}
	c.progress.clear()
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errNothing):
		return nothingFound
	case errors.Is(err, flag.ErrHelp):
		fmt.Print(sub.help)
		return 0
	case ctx.Err() != nil && !errors.Is(err, errUnsaved):
		fmt.Fprintf(os.Stderr, "filterfam %s: interrupted\n", sub.name)
		return interrupted
	}
	fmt.Fprintf(os.Stderr, "filterfam %s: %s\n", sub.name, cli.Message(err))
	return failed
}

// collectEarly makes Go's runtime collect garbage before it uses all memory. A
// lower limit, from the environment variable GOMEMLIMIT, stays.
func collectEarly() {
	const query = -1
	limit := int64(min(memory.Limit(), math.MaxInt64))
	if limit < debug.SetMemoryLimit(query) {
		debug.SetMemoryLimit(limit)
	}
}

// errNothing is returned if query has found no line.
var errNothing = errors.New("no line")

// A command is a running subcommand.
type command struct {
	flags    *flag.FlagSet
	args     []string // the arguments that have not been parsed
	out      *bufio.Writer
	progress *progress
	read     readFlags
	keyFile  string
}

func newCommand(name string, args []string) *command {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	return &command{flags: flags, args: args, out: bufio.NewWriterSize(os.Stdout, 1<<16), progress: &progress{}}
}

// parse parses the flags, which can also follow file names, and returns the
// other arguments. The argument "--" ends the flags.
func (c *command) parse() ([]string, error) {
	var names []string
	args := c.args
	for {
		err := c.flags.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		if err != nil {
			reason := err.Error()
			if strings.HasPrefix(reason, "invalid value") {
				reason = strings.Replace(reason, "parse error", "want a number such as 0.01 or 10", 1)
			}
			return nil, fmt.Errorf("%s; filterfam help %s lists the flags", reason, c.flags.Name())
		}
		rest := c.flags.Args()
		parsed := len(args) - len(rest)
		if len(rest) == 0 || parsed > 0 && args[parsed-1] == "--" {
			return append(names, rest...), nil
		}
		names = append(names, rest[0])
		args = rest[1:]
	}
}

// given reports whether a flag is on the command line.
func (c *command) given(name string) (found bool) {
	c.flags.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

// help prints the overview, or the help of a subcommand.
func help(args []string) int {
	if len(args) == 0 {
		fmt.Print(overview)
		return 0
	}
	for _, sub := range subcommands() {
		if sub.name == args[0] {
			fmt.Print(sub.help)
			return 0
		}
	}
	fmt.Fprintf(os.Stderr, "filterfam help: %q is not a subcommand\n", strings.Join(args, " "))
	return failed
}
