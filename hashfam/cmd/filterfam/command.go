package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/filterfam/filterfam/hashfam/cmd/filterfam/internal/input"
)

// A command is a subcommand with its flags and its output.
type command struct {
	cobra.Command
	out      *bufio.Writer
	progress *progress
	read     readFlags
	keyFile  string
}

// A subcommand adds its texts and flags to a command, and returns the function
// that runs it with the other arguments.
type subcommand func(c *command) func(ctx context.Context, names []string) error

func newCommand(sub subcommand) *command {
	c := &command{out: bufio.NewWriterSize(os.Stdout, 1<<16), progress: &progress{}}
	c.Flags().SortFlags = false
	run := sub(c)
	c.DisableFlagsInUseLine = true
	c.RunE = func(cmd *cobra.Command, args []string) error {
		defer c.progress.clear()
		if err := c.checkRead(); err != nil {
			return err
		}
		if len(args) > 0 {
			var err error
			args, err = input.Names(args)
			if err != nil {
				return err
			}
		}
		err := run(cmd.Context(), args)
		if err == nil || errors.Is(err, errNothing) {
			err = cmp.Or(c.out.Flush(), err)
		}
		return err
	}
	return c
}

// document sets the texts of the help.
func (c *command) document(use, short, long, examples string) {
	c.Use = use
	c.Short = short
	c.Long = strings.TrimSpace(long)
	c.Example = strings.Trim(examples, "\n")
}

// given reports whether a flag is on the command line.
func (c *command) given(name string) bool { return c.Flags().Changed(name) }

// complete sets the values of a flag that shells propose.
func (c *command) complete(flag string, values ...string) {
	err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // there is no such flag
	}
}

// remark prints a line on standard error, after what has been printed before.
func (c *command) remark(format string, args ...any) {
	c.out.Flush()
	c.progress.clear()
	fmt.Fprintf(os.Stderr, "filterfam %s: %s\n", c.Name(), fmt.Sprintf(format, args...))
}

// checkDashes returns an error if a long flag has a single dash. For example,
// -fpr would otherwise be read as the flag -f with the value pr. checkDashes
// skips the values of flags.
func checkDashes(flags *pflag.FlagSet, args []string) error {
	value := false
	for _, arg := range args {
		if value {
			value = false
			continue
		}
		if arg == "--" {
			return nil
		}
		name, _, joined := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch dashes := len(arg) - len(strings.TrimLeft(arg, "-")); {
		case dashes == 1 && len(name) > 1 && (flags.Lookup(name) != nil || name == "help"):
			return fmt.Errorf("-%s: long names have two dashes: want --%s", name, name)
		case dashes == 1:
			value = wantsValue(flags, name) && !joined
		case dashes == 2:
			f := flags.Lookup(name)
			value = f != nil && f.NoOptDefVal == "" && !joined
		}
	}
	return nil
}

// wantsValue reports whether the next argument is the value of the last letter
// in a row of one-letter flags.
func wantsValue(flags *pflag.FlagSet, letters string) bool {
	for i := range len(letters) {
		f := flags.ShorthandLookup(letters[i : i+1])
		if f == nil {
			return false
		}
		if f.NoOptDefVal == "" {
			return i == len(letters)-1
		}
	}
	return false
}
