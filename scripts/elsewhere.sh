#!/bin/sh
# Makes a folder in which make can build this tree: its folders, and links to its files. Files that are gone here are gone there.
#
#   scripts/elsewhere.sh FOLDER
set -eu
export LC_ALL=C
mkdir -p "$1" 2>/dev/null && [ -w "$1" ] || { echo "BUILD=$1: expected a folder, or a name that one can have: it cannot be made or written"; exit 1; }
to=$(cd "$1" && pwd -P) from=$(pwd -P)
case $to/ in "$from"/*) echo "BUILD=$1: expected a folder outside of this tree"; exit 1 ;; esac
[ -e "$to/Makefile" ] || [ -z "$(ls -A "$to")" ] || { echo "BUILD=$1: expected a new folder, an empty one, or one of an earlier BUILD="; exit 1; }
for f in * .git .clang-format .ci; do
    case $f in build) ;; .git) [ ! -e .git ] || ln -sfn "$from/.git" "$to/.git" ;; *) [ ! -e "$f" ] || cp -rsf "$from/$f" "$to" ;; esac
done
find "$to" -name build -path "$to/build" -prune -o -xtype l -exec rm -f {} +
