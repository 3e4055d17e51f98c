package main

import (
	"flag"
	"fmt"
	"io"
)

// printHelp prints one screen: what the program does and its own flags.
func printHelp(w io.Writer, own *flag.FlagSet) {
	fmt.Fprint(w, "usage: filterbuild -structure NAME [flags] -o FILE PATTERN...\n\n"+
		"Builds a filter or a counter from keys in files, one key a line.\n\n")
	own.VisitAll(func(f *flag.Flag) { printFlag(w, f) })
	fmt.Fprint(w, "\nThe runner of the job has flags of its own, such as -runner and -endpoint:\n"+
		"filterbuild -help-runner lists them.\n")
}

// printRunnerHelp prints the flags that are not the program's own.
func printRunnerHelp(w io.Writer, own, all *flag.FlagSet) {
	all.VisitAll(func(f *flag.Flag) {
		if own.Lookup(f.Name) == nil {
			printFlag(w, f)
		}
	})
}

// printFlag prints a line about a flag.
func printFlag(w io.Writer, f *flag.Flag) {
	argument, usage := flag.UnquoteUsage(f)
	if f.DefValue != "" && f.DefValue != "0" && f.DefValue != "false" && f.DefValue != "0s" {
		usage += " (default " + f.DefValue + ")"
	}
	fmt.Fprintf(w, "  %-20s %s\n", "-"+f.Name+" "+argument, usage)
}
