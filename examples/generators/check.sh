#!/usr/bin/env bash
# Generates a client with each of four generators from the OpenAPI document, compiles them, and calls a demo service
# through them.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
export CI=true PATH="$PWD/node_modules/.bin:$root/node_modules/node/bin:$PATH"
npx -y pnpm@12 install --frozen-lockfile

rm -rf made
openapi-typescript ../../server/openapi.json --output made/openapi-fetch/schema.ts
openapi-ts
kubb generate
orval
tsc -p .

data=$(mktemp -d)
export PORT=${PORT:-4318}
export COMPANION_URL=http://127.0.0.1:$PORT
DATA_DIR=$data LOG_LEVEL=error node "$root/server/src/main.ts" serve --demo >"$data/log" 2>&1 &
service=$!
trap 'kill $service; wait $service || true; rm -rf "$data"' EXIT
until grep -q 'Companion runs at' "$data/log"; do
  kill -0 $service 2>/dev/null || { cat "$data/log"; exit 1; }
  sleep 0.2
done
node src/main.ts
