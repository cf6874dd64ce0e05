#!/usr/bin/env bash
# Remakes the golden timing of this folder with Debian's OpenSTA (package `opensta`) and python3.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version="OpenSTA $(sta -version), Debian opensta $(dpkg-query -W -f='${Version}' opensta)"
cd "$here/.."
cargo run --quiet --package cellwright-designs --example bundle -- "$work" --goldens > "$work/digests"
for dir in "$work"/*/; do
  name=$(basename "$dir")
  GOLDEN_DIR=$dir GOLDEN_NAME=$name sta -no_splash -exit "$here/golden.tcl" > "$work/report" 2> "$work/errors" \
    || { cat "$work/errors" "$work/report"; exit 1; }
  if [ -s "$work/errors" ] || grep -qiE '^(error|warning)' "$work/report"; then
    echo "$name: the timer complains:"; cat "$work/errors"; grep -iE '^(error|warning)' "$work/report"; exit 1
  fi
  python3 "$here/collect.py" "$name" "$work/digests" "$version" < "$work/report" > "$work/json"
  mv "$work/json" "$here/$name.json"
  echo "$name done"
done
