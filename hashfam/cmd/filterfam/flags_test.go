package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// collides reports whether a word behind one dash could also be read as a row
// of one-letter flags, of which the last can have a value.
func collides(flags *pflag.FlagSet, word string) bool {
	for _, letter := range word {
		f := flags.ShorthandLookup(string(letter))
		if f == nil {
			return false
		}
		if f.NoOptDefVal == "" {
			return true // the other letters are its value
		}
	}
	return true
}

// A long name behind one dash is an error that names the flag, also where pflag
// would have read it as one-letter flags. These are all such names.
func TestLongNamesHaveTwoDashes(t *testing.T) {
	collisions := map[string]string{}
	for _, sub := range subcommands() {
		c := newCommand(sub)
		c.InitDefaultHelpFlag()
		var found []string
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if len(f.Name) == 1 {
				return
			}
			if collides(c.Flags(), f.Name) {
				found = append(found, f.Name)
			}
			for _, arg := range []string{"-" + f.Name, "-" + f.Name + "=1"} {
				require.EqualError(t, checkDashes(c.Flags(), []string{arg}), "-"+f.Name+": long names have two dashes: want --"+f.Name)
			}
			require.NoError(t, checkDashes(c.Flags(), []string{"--" + f.Name + "=x", "--", "-" + f.Name}))
		})
		if found != nil {
			collisions[c.Name()] = strings.Join(slices.Sorted(slices.Values(found)), " ")
		}
	}
	require.Equal(t, map[string]string{
		"add":    "delimiter fields force",
		"build":  "delimiter delta fields force fpr key-file keys null null-data output",
		"count":  "delimiter fields",
		"delete": "delimiter fields",
		"merge":  "output",
		"query":  "delimiter fields files-with-matches files-without-match filter max-count",
		"top":    "delimiter fields key-file output",
		"uniq":   "delimiter fields force fpr null null-data unique",
	}, collisions)
}

// The value of a flag can look like a flag.
func TestValuesAreNotFlags(t *testing.T) {
	flags := newCommand(build).Flags()
	require.NoError(t, checkDashes(flags, []string{"-o", "-fpr", "--type", "-fpr", "-qo", "-fpr"}))
	require.Error(t, checkDashes(flags, []string{"-ox", "-fpr"}))
	require.Error(t, checkDashes(flags, []string{"--type=x", "-fpr"}))
	require.Error(t, checkDashes(flags, []string{"-q", "-fpr"}))
}

func TestVersionAndCompletion(t *testing.T) {
	dir := t.TempDir()
	require.Regexp(t, `^filterfam version \S+\n$`, succeeds(t, dir, "", "--version"))
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		require.Contains(t, succeeds(t, dir, "", "completion", shell), "__complete")
	}
	require.Contains(t, run(t, dir, "", "__complete", "build", "--la").out, "--layout\t")
	require.Contains(t, run(t, dir, "", "__complete", "build", "--type", "co").out, "counting\n")
	r := run(t, dir, "", "que")
	require.Equal(t, result{"", "filterfam: \"que\" is not a subcommand; did you mean query?; try filterfam help\n", failed}, r)
	require.Contains(t, run(t, dir, "", "biuld", "x").log, "did you mean build?")
	r = run(t, dir, "", "que", "-c", "x")
	require.Equal(t, result{"", "filterfam: \"que\" is not a subcommand; did you mean query?; try filterfam help\n", failed}, r)
	r = run(t, dir, "", "help", "que")
	require.Equal(t, result{"", "filterfam help: \"que\" is not a subcommand; did you mean query?; try filterfam help\n", failed}, r)
	require.Equal(t, failed, run(t, dir, "").code)
}

// The flags of other commands that cannot work say what does.
func TestErrorsOfFlagsSayWhatToDo(t *testing.T) {
	dir := t.TempDir()
	for want, args := range map[string]string{
		"uniq: there is no -c: use filterfam top, or sort | uniq -c\n":       "uniq -c",
		"uniq: there is no -u: use filterfam top, or sort | uniq -u\n":       "uniq -u",
		"uniq: -d \"file\", want a single character":                         "uniq -d file",
		"top: -d: want -f, too":                                              "top -d,",
		"query: -f \"0\", want fields from 1":                                "query -f 0 x",
		"build: -fpr: long names have two dashes: want --fpr\n":              "build -fpr 0.1 -o x",
		"build: unknown shorthand flag: 'x' in -x; filterfam build --help":   "build -x",
		"build: flag needs an argument: --fpr; filterfam build --help":       "build --fpr",
		"top: invalid argument \"1\" for \"--every\" flag: want a time with": "top --every 1",
	} {
		require.Contains(t, fails(t, dir, "", strings.Fields(args)...), "filterfam "+want)
	}
}
