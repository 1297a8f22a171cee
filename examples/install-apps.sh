#!/usr/bin/env bash
# Installs the packages of the apps named, or of both, with the SDK as it would be published: built and packed from this
# checkout.
set -euo pipefail
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- parents-app react-native
pnpm='npx -y pnpm@12'

packed=$(mktemp -d)
trap 'rm -rf "$packed"' EXIT
$pnpm --dir .. install
(cd ../sdk && $pnpm pack --pack-destination "$packed" >"$packed/log" 2>&1) || { cat "$packed/log"; exit 1; }

for app in "$@"; do
  # pnpm copies the folder once and would keep an older SDK.
  rm -rf "$app/.sdk" "$app/node_modules/@companion"
  mkdir "$app/.sdk"
  tar -xzf "$packed"/companion-sdk-*.tgz -C "$app/.sdk"
  $pnpm --dir "$app" install --frozen-lockfile
done
