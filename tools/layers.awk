# SPDX-License-Identifier: MIT
#
# layers.awk - do the rooms keep to their doors?
#
#	awk -f tools/layers.awk layers.txt base/*.[ch] core/*.[ch] ...
#
# The first file says which room may include which; in all others each quoted include is looked up.  Prints one line
# per breach and exits 1 when there is any, 2 when a file belongs to no known room.

# "room (pure): other other/header.h" -> door[room, other], pure[room]
function read_rule(line,	parts, name, n, i, to)
{
	split(line, parts, ":")
	name = parts[1]
	if (sub(/[ \t]*\(pure\)/, "", name))
		pure[name] = 1
	room[name] = 1
	door[name, name] = 1
	n = split(parts[2], to, /[ \t]+/)
	for (i = 1; i <= n; i++)
		if (to[i] != "")
			door[name, to[i]] = 1
}

function breach(why)
{
	print FILENAME ":" FNR ": " why
	bad = 1
}

NR == FNR {
	if ($0 !~ /^[ \t]*(#|$)/)
		read_rule($0)
	next
}

FNR == 1 {
	depth = split(FILENAME, path, "/")
	me = path[1] == "." ? path[2] : path[1]
	if (!(me in room)) {
		print FILENAME ": no room is called \"" me "\" in layers.txt"
		lost = 1
	}
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, quoted, "\"")
	parts = split(quoted[2], to, "/")
	if (parts < 2)
		breach("\"" quoted[2] "\" names no room: write \"" me "/" quoted[2] "\"")
	else if (!((me, to[1]) in door) && !((me, quoted[2]) in door))
		breach(me " may not include " quoted[2])
}

# What a pure room may take from the compiler: types, limits, the four memory movers.
/^[ \t]*#[ \t]*include[ \t]*</ && (me in pure) {
	match($0, /<[^>]*>/)
	header = substr($0, RSTART + 1, RLENGTH - 2)
	if (header !~ /^(stdint|stddef|stdbool|stdarg|limits|string|errno)\.h$/)
		breach(me " is pure and may not include <" header ">")
}

END { exit lost ? 2 : bad }
