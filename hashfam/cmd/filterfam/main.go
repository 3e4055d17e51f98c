// Filterfam builds, queries and inspects probabilistic filters. Each line of
// its input is a key.
//
//	filterfam build -o FILE [FILE...]    build a structure from lines
//	filterfam query FILTER [FILE...]     print the lines that may be in a filter
//	filterfam add FILTER [FILE...]       add lines to a structure
//	filterfam delete FILTER [FILE...]    delete lines from a filter
//	filterfam uniq [FILE...]             print each line when it is first seen
//	filterfam top [FILE...]              print the most frequent lines
//	filterfam count [FILE...]            print the number of different lines
//	filterfam info FILE...               describe the structures in files
//	filterfam merge -o FILE A B...       merge structures
//	filterfam plan -n N                  list filters with their sizes
//	filterfam key > FILE                 create a secret key
//	filterfam help [SUBCOMMAND]          print help
//
// The exit status is 0, or 1 if query has selected nothing, or 2 after an
// error, or 130 after an interrupt. See docs/command.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/filterfam/filterfam/internal/cli"
	"github.com/filterfam/filterfam/internal/memory"
)

// The exit codes other than 0.
const (
	nothingFound = 1
	failed       = 2
	interrupted  = 130
)

// subcommands returns the subcommands in the order of the overview.
func subcommands() []subcommand {
	return []subcommand{build, query, add, remove, uniq, top, count, info, merge, plan, key}
}

func main() { os.Exit(execute(os.Args[1:])) }

// execute runs the command and returns the exit code.
func execute(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), signals()...)
	defer stop()
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the process at once
	}()
	collectEarly()
	root := newRoot(args)
	root.SetArgs(args)
	chosen, rest, err := root.Find(args)
	if err == nil {
		err = checkDashes(chosen.Flags(), rest)
	}
	if err == nil {
		chosen, err = root.ExecuteContextC(ctx)
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errNothing):
		return nothingFound
	case errors.Is(err, errShown):
		return failed
	case ctx.Err() != nil && !errors.Is(err, errUnsaved):
		fmt.Fprintf(os.Stderr, "%s: interrupted\n", chosen.CommandPath())
		return interrupted
	}
	fmt.Fprintf(os.Stderr, "%s: %s\n", chosen.CommandPath(), cli.Message(err, "--"))
	return failed
}

// hangup is SIGHUP, which has no name on some systems.
const hangup = syscall.Signal(1)

// signals returns the signals that interrupt the command. One that the caller
// has told the system to ignore, as nohup does, stays ignored.
func signals() (all []os.Signal) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, hangup} {
		if !signal.Ignored(s) {
			all = append(all, s)
		}
	}
	return all
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

// errShown is returned if everything has been said on standard error.
var errShown = errors.New("shown")

const overview = `Filterfam builds, queries and inspects probabilistic filters. Each line of the
input is a key. Without FILE, or if it is -, standard input is read.

The exit status is 0, or 1 if query has selected nothing, or 2 after an error,
or 130 after an interrupt.`

const overviewExamples = `  printf 'ada\ngrace\n' > words.txt
  filterfam build -o words.filter words.txt
  printf 'ada\nalan\n' | filterfam query -v words.filter`

// newRoot returns the command with its subcommands. cobra's own subcommand for
// completions depends on the arguments.
func newRoot(args []string) *cobra.Command {
	root := &cobra.Command{
		Use: "filterfam", Long: overview, Example: overviewExamples, Version: version(),
		Args: cobra.ArbitraryArgs, SilenceErrors: true, SilenceUsage: true, SuggestionsMinimumDistance: 2,
	}
	root.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return notASubcommand(root, args[0])
		}
		root.SetOut(os.Stderr)
		return errors.Join(errShown, root.Help())
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if cmd == root && !strings.HasPrefix(args[0], "-") {
			return notASubcommand(root, args[0])
		}
		return fmt.Errorf("%w; %s --help lists the flags", err, cmd.CommandPath())
	})
	for _, sub := range subcommands() {
		root.AddCommand(&newCommand(sub).Command)
	}
	root.SetHelpCommand(newHelp(root))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(args...)
	root.InitDefaultVersionFlag()
	return root
}

// newHelp returns the subcommand help.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [SUBCOMMAND]",
		Short: "print the help of a subcommand",
		Example: `  filterfam help build
  filterfam help completion`,
		DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, args []string) error {
			target, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return notASubcommand(root, args[0])
			}
			target.InitDefaultHelpFlag()
			return target.Help()
		},
	}
}

// notASubcommand returns an error that suggests similar names.
func notASubcommand(root *cobra.Command, name string) error {
	text := fmt.Sprintf("%q is not a subcommand", name)
	for _, similar := range root.SuggestionsFor(name) {
		text += "; did you mean " + similar + "?"
	}
	return errors.New(text + "; try filterfam help")
}

// version returns the version of the module that the command was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return info.Main.Version
}
