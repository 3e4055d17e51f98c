package main

import (
	"flag"
	"fmt"
	"io"
)

// printHelp prints a description of the program and its own flags.
func printHelp(w io.Writer, own *flag.FlagSet) {
	fmt.Fprint(w, "usage: filterbuild -o FILE [flags] PATTERN...\n\n"+
		"Builds a filter or a counter from keys in files, one key a line.\n\n")
	own.VisitAll(func(f *flag.Flag) {
		if f.Usage != "" {
			printFlag(w, f)
		}
	})
	fmt.Fprint(w, "\nThe runners have additional flags, such as -runner and -endpoint:\n"+
		"filterbuild -help-runner lists them.\n")
}

// printRunnerHelp prints all other flags.
func printRunnerHelp(w io.Writer, own, all *flag.FlagSet) {
	all.VisitAll(func(f *flag.Flag) {
		if own.Lookup(f.Name) == nil {
			printFlag(w, f)
		}
	})
}

// printFlag prints a line that describes a flag.
func printFlag(w io.Writer, f *flag.Flag) {
	argument, usage := flag.UnquoteUsage(f)
	if f.DefValue != "" && f.DefValue != "0" && f.DefValue != "false" && f.DefValue != "0s" {
		usage += " (default " + f.DefValue + ")"
	}
	fmt.Fprintf(w, "  %-20s %s\n", "-"+f.Name+" "+argument, usage)
}
