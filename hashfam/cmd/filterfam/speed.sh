#!/usr/bin/env bash
# Compares filterfam with grep, awk and sort on 10^7 lines of 20 bytes, and prints
# a table. With -docs, it also writes the table to docs/benchmarks.md and to its
# template. It needs GNU time, 1 GB on the disk and 2 GB of memory.
#
#   bash hashfam/cmd/filterfam/speed.sh [-docs] [ROUNDS]
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../../.. && pwd)
docs=
if [ "${1:-}" = -docs ]; then
	docs=yes
	shift
fi
rounds=${1:-5}
export LC_ALL=C
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/filterfam" .
cd "$dir"
awk 'BEGIN { srand(7); for (i = 0; i < 10000000; i++) printf "%019.0f\n", rand() * 1e19 }' >lines.txt
awk 'NR % 10 == 0' lines.txt >patterns.txt
./filterfam build -o patterns.filter patterns.txt

# A filterfam command is followed by the command that it is compared with.
commands=(
	'filterfam query patterns.filter lines.txt' 'grep -xFf patterns.txt lines.txt'
	'filterfam uniq -n 1e7 lines.txt' "awk '!seen[\$0]++' lines.txt"
	'filterfam build -o lines.filter lines.txt' 'sort -u lines.txt'
)
for _ in $(seq "$rounds"); do
	for i in "${!commands[@]}"; do
		PATH=$dir:$PATH /usr/bin/time -a -o "times.$i" -f '%e %U %S %M' bash -c "exec ${commands[i]} >out.txt"
	done
done

# median I EXPRESSION prints the median of an expression of the columns that were
# measured for a command.
median() { awk "{ print $2 }" "times.$1" | sort -g | awk '{ all[NR] = $1 } END { print (all[int((NR + 1) / 2)] + all[int(NR / 2) + 1]) / 2 }'; }

{
	printf '%s, %d cores, medians of %d interleaved rounds:\n\n' \
		"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)" "$(nproc)" "$rounds"
	printf '| command | seconds | ratio | processor seconds | MB | ratio |\n|---|---:|---:|---:|---:|---:|\n'
	for i in "${!commands[@]}"; do
		next=$((i + 1 - i % 2))
		awk -v name="${commands[i]//\\/\\\\}" -v time="$(median "$i" '$1')" -v cpu="$(median "$i" '$2 + $3')" -v memory="$(median "$i" '$4 / 1e3')" \
			-v other="$(median "$next" '$1')" -v more="$(median "$next" '$4 / 1e3')" -v first=$((1 - i % 2)) 'BEGIN {
			printf "| `%s` | %.2f | %s | %.2f | %.0f | %s |\n", name, time, first ? sprintf("%.2g", time / other) : "-",
				cpu, memory, first ? sprintf("%.2g", memory / more) : "-"
		}'
	done
} | tee table.txt

# The table replaces the one in the section about the command.
[ "$docs" ] || exit 0
for file in "$root/docs/benchmarks.md" "$root/internal/compare/report/benchmarks.txt"; do
	awk '
		/^## / { inside = /filterfam/ }
		inside && /medians of [0-9]+ interleaved rounds:$/ { while ((getline line <"table.txt") > 0) print line; skip = 1; next }
		skip && (/^\|/ || /^$/) && !done { if (/^\|/) seen = 1; else if (seen) { done = 1; print }; next }
		{ print }
	' "$file" >new.txt
	cat new.txt >"$file"
done
