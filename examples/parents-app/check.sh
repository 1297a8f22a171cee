#!/usr/bin/env bash
# Everything that can be checked without a phone: lint, types, tests, the exports for web and Android, and the whole story in
# a browser. Ends with an error when any of it fails.
set -euo pipefail
cd "$(dirname "$0")"
chromium=${CHROMIUM:-/usr/bin/chromium}
if [ ! -x "$chromium" ] && [ "${CI:-}" = true ]; then
  echo "There is no browser at $chromium" >&2
  exit 1
fi

./install.sh
export PATH="$PWD/node_modules/.bin:$PWD/../../node_modules/.bin:$PATH" CI=true EXPO_NO_TELEMETRY=1

oxlint --type-aware
tsc -p .
tsc -p story
vitest run
rm -rf dist
expo export --platform web --output-dir dist/web
expo export --platform android --output-dir dist/android
# Hermes bytecode starts with this number.
for bundle in dist/android/_expo/static/js/android/*.hbc; do
  [ "$(od -An -tx1 -N4 "$bundle" | tr -d ' ')" = c61fbc03 ] || { echo "$bundle is no Hermes bytecode" >&2; exit 1; }
done

if [ -x "$chromium" ]; then
  node story/main.ts
else
  echo "SKIPPED: the story needs a browser at $chromium"
fi
