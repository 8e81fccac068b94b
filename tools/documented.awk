# SPDX-License-Identifier: MIT
#
# documented.awk - functions of a header that no comment speaks of: above them, beside them, or at the head of their paragraph.
#
#	awk -f tools/documented.awk HEADER...		"FILE:LINE: not documented: ..." for each; exit 1 where there is one
FNR == 1 { spoken = inside = 0 }
inside || /^[ \t]*\/\*/ {
	inside = !/\*\//
	spoken = !inside
	next
}
/^[ \t]*$/ || /^}/ { spoken = 0; next }
/^(static inline )?[a-z][A-Za-z0-9_ ]*[ *][a-z][a-z0-9_]*\(/ && !/^typedef/ {
	first = FNR
	text = $0
	while (text !~ /[;{]/ && (getline more) > 0)
		text = text " " more
	if (text ~ /\/\*/)
		spoken = 1
	if (!spoken) {
		print FILENAME ":" first ": not documented: " text
		bad = 1
	}
}
END { exit bad }
