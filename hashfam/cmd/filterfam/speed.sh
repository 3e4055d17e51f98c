#!/usr/bin/env bash
# Compares filterfam with grep, awk and sort, on 10^7 lines of 20 bytes. It needs
# 1 GB on the disk and 2 GB of memory: bash hashfam/cmd/filterfam/speed.sh [ROUNDS]
set -euo pipefail
cd "$(dirname "$0")"
export LC_ALL=C
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/filterfam" .
cd "$dir"
awk 'BEGIN { srand(7); for (i = 0; i < 10000000; i++) printf "%019.0f\n", rand() * 1e19 }' >lines.txt
awk 'NR % 10 == 0' lines.txt >patterns.txt
./filterfam build -o patterns.filter patterns.txt

measure() { /usr/bin/time -f "%e s, %M KB: $*" "$@" >out.txt; }
for _ in $(seq "${1:-5}"); do
	measure ./filterfam query patterns.filter lines.txt
	measure grep -xFf patterns.txt lines.txt
	measure ./filterfam uniq -n 1e7 lines.txt
	measure awk '!seen[$0]++' lines.txt
	measure ./filterfam build -o lines.filter lines.txt
	measure sort -u lines.txt
done
