package main

const overview = `usage: filterfam SUBCOMMAND [flags] [FILE...]

Each line of the input is a key.

  build -o FILE [FILE...]   build a filter from lines
  query FILTER [FILE...]    print the lines that may be in a filter
  uniq [FILE...]            print each line when it is first seen
  top [FILE...]             print the most frequent lines
  info FILE...              describe the structures in files
  merge -o FILE A B...      merge structures
  plan -n N                 list filters with their sizes
  key > FILE                create a secret key
  help SUBCOMMAND           print the flags of a subcommand

Without FILE, or if it is -, standard input is read. Compressed files (gzip) are
decompressed. The exit status is 0, or 1 if query has printed no line, or 2 after
an error, or 130 after an interrupt.

  printf 'ada\ngrace\n' > words.txt
  filterfam build -o words.filter words.txt
  printf 'ada\nalan\n' | filterfam query -v words.filter
`

// reading describes the flags of all subcommands that read lines.
const reading = `  -0              lines end with a zero byte instead of a line break
  -empty          empty lines are keys; otherwise they are skipped
  -key-file FILE  the secret key: 32 hexadecimal digits, or 16 bytes;
                  otherwise, the variable FILTERFAM_KEY is used if it is set
  -q              show no progress
`

const buildHelp = `usage: filterfam build -o FILE [flags] [FILE...]

Builds a structure from lines. Repeated lines count once, except in counting
filters and sketches. FILE appears when it is complete, or not at all.

  -o FILE         the output, or - for standard output
  -type TYPE      static (default), bloom, cuckoo, counting or sketch
  -fpr RATE       the false-positive rate; 0.01 if it is not given
  -n N            the number of different lines; otherwise, all lines are counted:
                  files are read twice, and standard input is held in memory,
                  8 bytes per line (bloom, cuckoo, counting)
  -memory BYTES   the size, such as 64M, instead of -n or -fpr
  -layout LAYOUT  classic or blocked (bloom, counting), or partitioned (bloom)
  -compact        one bit less per slot (cuckoo)
  -epsilon E      the largest error, as a fraction of all lines (sketch)
  -delta D        the probability of a larger error (sketch)
  -conservative   more exact counts, but no deletes (sketch)
  -force          write the output even if the rate is above twice -fpr
` + reading + `
  printf 'ada\ngrace\n' | filterfam build -o words.filter
  filterfam build -type bloom -n 1e6 -fpr 0.001 -o words.filter words.txt
`

const queryHelp = `usage: filterfam query [flags] FILTER [FILE...]

Prints the lines that may be in the filter: all lines that are in it, and a few
others. With -v, it prints the lines that are certainly not in it. The exit status
is 1 if it prints none.

  -v              print the other lines
  -c              print only the number of lines
  -counts         print the count before each line (counting filters, in which
                  15 means 15 or more; sketches and heavy hitters); it can be
                  too high, but not too low
` + reading + `
  printf 'ada\nalan\n' | filterfam query words.filter
  filterfam query -c words.filter words.txt
`

const uniqHelp = `usage: filterfam uniq [flags] [FILE...]

Prints each line when it is first seen, without sorting, in little memory. A new
line is lost with probability -fpr.

  -fpr RATE       1e-6 if it is not given
  -n N            the number of different lines, for a fixed amount of memory;
                  without -n and -memory, memory grows with the lines
  -memory BYTES   the amount of memory, such as 64M, instead of -n
  -state FILE     remember the lines in FILE, and continue from it if it exists;
                  it is saved at the end, and at most once a minute before
  -force          continue when the rate exceeds twice -fpr
` + reading + `
  printf 'ada\nada\ngrace\n' | filterfam uniq
  printf 'ada\n' | filterfam uniq -n 1e5 -state seen.state
`

const topHelp = `usage: filterfam top [flags] [FILE...]

Prints the most frequent lines: a lower and an upper bound for the count, and the
line, separated by tabs. If lines may be missing, a remark on standard error says so.

  -k K            the number of lines; 10 if it is not given
  -phi FRACTION   all lines that make up this fraction of the input instead
  -memory BYTES   the amount of memory, such as 1M; otherwise as much as is needed
  -low            sort by the lower bounds
` + reading + `
  printf 'ada\ngrace\nada\n' | filterfam top -k 1
  printf 'ada\ngrace\nada\n' | filterfam top -phi 0.5
`

const infoHelp = `usage: filterfam info [-json] [-key-file FILE] FILE...

Describes the structures in files: the kind, the parameters, the number of keys,
the false-positive rate now, and whether the checksum is right. The secret key is
only needed for structures that store keys.

  filterfam info words.filter
  filterfam info -json words.filter
`

const mergeHelp = `usage: filterfam merge -o FILE [flags] A B...

Merges structures with equal parameters: Bloom, counting and cuckoo filters,
sketches and heavy hitters. FILE appears when it is complete, or not at all.

  -o FILE         the output, or - for standard output
  -key-file FILE  the secret key; otherwise, FILTERFAM_KEY is used if it is set
  -q              show no progress

  filterfam build -type bloom -n 1e4 -o a.filter words.txt
  filterfam merge -o all.filter a.filter a.filter
`

const planHelp = `usage: filterfam plan [-n N] [-fpr RATE] [-memory BYTES]

Lists the filters for N keys, with their sizes and the Go code that creates
them. Two of the three flags are enough: without -fpr, each has its lowest rate,
and without -n, as many keys as fit. The rate is 0.01 if only one flag is given.

  filterfam plan -n 1e6 -fpr 0.001
  filterfam plan -n 1e6 -memory 1M
`

const keyHelp = `usage: filterfam key > FILE

Creates a secret key for -key-file. Only the owner can read FILE.

  filterfam key > secret.key
  filterfam build -key-file secret.key -o words.filter words.txt
`
