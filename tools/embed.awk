# SPDX-License-Identifier: MIT
#
# embed.awk - scenarios as C strings, for `fairground new`.
#
#	awk -f tools/embed.awk scenarios/web.json scenarios/gc.json ...
#
# A shape's name is that of its file; its summary is the file's first line, which is a comment.
function quoted(s) {
	gsub(/\\/, "\\\\", s)
	gsub(/"/, "\\\"", s)
	return "\"" s "\""
}
BEGIN {
	print "/* made by tools/embed.awk */"
	print "#include \"cli/shapes.h\"\n"
	print "const struct shape shapes[] = {"
}
FNR == 1 {
	if (NR > 1)
		print "\t},"
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.json$/, "", name)
	summary = $0
	if (!sub(/^\/\/ /, "", summary)) {
		print "embed: " FILENAME " does not begin with a comment" > "/dev/stderr"
		exit 1
	}
	print "\t{ " quoted(name) ", " quoted(summary) ","
}
{ print "\t  " quoted($0) " \"\\n\"" }
END { print "\t},\n\t{ 0 }\n};" }
