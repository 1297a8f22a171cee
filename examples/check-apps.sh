#!/usr/bin/env bash
# Checks the named apps, or all of them, without a phone: lint, types, tests, what they are built to, and the app's story in a
# browser. Fails if any step fails.
set -euo pipefail
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- parents-app react-native clinic
chromium=${CHROMIUM:-/usr/bin/chromium}
if [ ! -x "$chromium" ] && [ "${CI:-}" = true ]; then
  echo "There is no browser at $chromium" >&2
  exit 1
fi

# All stories use the service of parents-app's story, and those of phones its browser, which needs the packages of that app.
./install-apps.sh
# The story updates devices that are not there.
export CI=true EXPO_NO_TELEMETRY=1 EXPO_PUBLIC_DEVICE_LINK=simulated
tools=$PWD/../node_modules/.bin

# Compiles the screen in the SDK's README and exports it as an app of its own.
readme_screen() {
  trap 'rm -f readme.ts src/readme-home.tsx' EXIT
  awk '/^```tsx expo\/home.tsx/ { on = 1; next } /^```/ { on = 0 } on' ../../sdk/README.md >src/readme-home.tsx
  sed 's/App/Home/g; s#src/app#src/readme-home#' index.ts >readme.ts
  tsc -p .
  mkdir -p dist/readme
  expo export:embed --platform web --dev false --entry-file readme.ts --bundle-output dist/readme/index.js
  echo '<!doctype html><title>Home</title><div id="root"></div><script src="/index.js"></script>' >dist/readme/index.html
}

# For web, Android and iOS.
export_expo() {
  # What is compiled in of the environment is not part of the key of Metro's cache.
  expo export --clear --platform web --platform android --platform ios --output-dir dist/app
  [ "$1" != react-native ] || (readme_screen)
  # Compiled by the Hermes compiler of the app's React Native. Its bytecode starts with this number.
  for bundle in dist/app/_expo/static/js/{android,ios}/*.hbc; do
    [ "$(od -An -tx1 -N4 "$bundle" | tr -d ' ')" = c61fbc03 ] || { echo "$bundle is no Hermes bytecode" >&2; exit 1; }
  done
}

check() {
  cd "$1"
  PATH="$PWD/node_modules/.bin:$tools:$PATH"
  oxlint --type-aware
  tsc -p .
  tsc -p story
  if compgen -G 'src/*/*.test.ts' >/dev/null; then vitest run; fi
  rm -rf dist
  if [ -f vite.config.ts ]; then vite build; else export_expo "$1"; fi
  if [ -x "$chromium" ]; then
    sweep=
    # A part of the pictures of all screens, beside the story.
    if [ -d story/sweep ]; then node story/sweep/main.ts ko-dark-320x2 ko-light-820 & sweep=$!; fi
    node story/main.ts
    [ -z "$sweep" ] || wait "$sweep"
    [ "$1" != react-native ] || node story/readme-screen.ts
  else
    echo "SKIPPED: the story needs a browser at $chromium"
  fi
}

for app in "$@"; do
  (check "$app")
done

# The way of a family and a clinic through both apps.
if [[ " $* " =~ \ (clinic|parents-app)\  ]] && [ -x "$chromium" ]; then
  if [ -d parents-app/dist/app ] && [ -d clinic/dist/app ]; then
    PATH="$tools:$PATH" node clinic/story/both-apps.ts
  else
    echo "SKIPPED: the story of both apps needs the builds of parents-app and clinic"
  fi
fi
