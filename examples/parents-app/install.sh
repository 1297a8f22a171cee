#!/usr/bin/env bash
# Installs the app's own packages, with the SDK as it would be published: built and packed from this checkout.
set -euo pipefail
cd "$(dirname "$0")"
pnpm='npx -y pnpm@12'

packed=$(mktemp -d)
trap 'rm -rf "$packed"' EXIT
$pnpm --dir ../.. install
(cd ../../sdk && $pnpm pack --pack-destination "$packed" >"$packed/log" 2>&1) || { cat "$packed/log"; exit 1; }

# pnpm copies the folder once and would keep an older SDK.
rm -rf .sdk node_modules/@companion
mkdir .sdk
tar -xzf "$packed"/companion-sdk-*.tgz -C .sdk
$pnpm install --frozen-lockfile
