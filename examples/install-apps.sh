#!/usr/bin/env bash
# Installs the packages of the named apps, or of all. The SDK is built and packed from this checkout, as for publishing.
set -euo pipefail
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- parents-app react-native clinic
pnpm='npx -y pnpm@12'

packed=$(mktemp -d)
trap 'rm -rf "$packed"' EXIT
$pnpm --dir .. install
(cd ../sdk && $pnpm pack --pack-destination "$packed" >"$packed/log" 2>&1) || { cat "$packed/log"; exit 1; }

for app in "$@"; do
  # pnpm copies this folder only once, and would keep an older SDK.
  rm -rf "$app/.sdk" "$app/node_modules/@companion"
  mkdir "$app/.sdk"
  tar -xzf "$packed"/companion-sdk-*.tgz -C "$app/.sdk"
  $pnpm --dir "$app" install --frozen-lockfile
done
