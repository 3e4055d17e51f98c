package main

import (
	_ "embed"
	"strings"
)

const capacityCommand = "FILTERFAM_LONG=1 go test ./cuckoo -run SmallTables -timeout 0 -record ../internal/compare/capacity.csv"

// capacityRows are the chances that small tables refuse a key, as a test of
// package cuckoo has written them.
//
//go:embed capacity.csv
var capacityRows string

// capacityText is the section of accuracy.md on small cuckoo filters.
func capacityText() string {
	return "## Capacity of small cuckoo filters\n\n" +
		"The chance that Add refuses one of the keys that a table has the capacity for, which is promised to be below 1e-6.\n" +
		"*pairs* bounds the chance that nine keys have the same two buckets (see [theory](theory.md)). *others* is the chance\n" +
		"that Add fails without such keys, estimated by multilevel splitting: the mean of four independent runs, with its\n" +
		"standard error. A run ends when its estimate is below 1e-10, so smaller numbers are upper limits. *at most* is the\n" +
		"sum, plus four standard errors. The tables are those that `Config` chooses at 40 % and 1 % for up to 200 keys, and\n" +
		"every hundredth of those for up to 10,000.\n\n" +
		"`" + capacityCommand + "`\nmeasures them again.\n\n" +
		capacityTable().markdown()
}

func capacityTable() table {
	var t table
	for _, name := range []string{"keys", "buckets", "bits", "pairs", "others", "±", "at most"} {
		t.columns = append(t.columns, column{name: name})
	}
	lines := strings.Split(strings.TrimSpace(capacityRows), "\n")
	for _, row := range lines[1:] {
		t.lines = append(t.lines, line{cells: strings.Split(row, ",")})
	}
	return t
}
