#!/bin/sh
# Makes a folder in which make can build this tree: its folders, and links to its files. Files that are gone here are
# gone there.
#
#   scripts/elsewhere.sh FOLDER
set -eu
export LC_ALL=C
refuse() {
    echo "BUILD=$folder: expected a $1"
    exit 1
}
folder=$1
mkdir -p "$1" 2>/dev/null && [ -w "$1" ] || refuse "folder, or a name that one can have: it cannot be made or written"
to=$(cd "$1" && pwd -P) from=$(pwd -P)
case $to/ in "$from"/*) refuse "folder outside of this tree" ;; esac
[ -e "$to/Makefile" ] || [ -z "$(ls -A "$to")" ] || refuse "new folder, an empty one, or one of an earlier BUILD="
for f in * .git .clang-format .ci; do
    case $f in
        build) ;;
        .git) [ ! -e .git ] || ln -sfn "$from/.git" "$to/.git" ;;
        *) [ ! -e "$f" ] || cp -rsf "$from/$f" "$to" ;;
    esac
done
find "$to" -name build -path "$to/build" -prune -o -xtype l -exec rm -f {} +
