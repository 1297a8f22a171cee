import { readFile } from 'node:fs/promises'
import { build } from 'tsup'
import type { Options } from 'tsup'
import { documentFields } from './document-fields.ts'

const shared = {
  config: false,
  target: 'es2020',
  platform: 'neutral',
  silent: true,
  // The documentation of the methods is in the declarations: an app need not carry it too.
  esbuildPlugins: [
    {
      name: 'undocumented',
      setup: (bundler) =>
        bundler.onLoad({ filter: /sdk\/src\/.*\.ts$/ }, async ({ path }) => ({
          contents: (await readFile(path, 'utf8')).replaceAll(/\/\*.*?\*\//gs, ''),
          loader: 'ts',
        })),
    },
  ],
} satisfies Options

// Without these a bundle of tRPC holds its web sockets too: its package does not say that no file of it has side effects.
const trpcBundled = {
  noExternal: [/^@trpc/],
  esbuildPlugins: [
    ...shared.esbuildPlugins,
    {
      name: 'pure-modules',
      setup(bundler) {
        bundler.onResolve({ filter: /^(@trpc|\.)/ }, async ({ path, pluginData, ...from }) =>
          pluginData === 'resolved'
            ? undefined
            : { ...(await bundler.resolve(path, { ...from, pluginData: 'resolved' })), sideEffects: false },
        )
        // Nobody uses this list, but to read a table for it might have a side effect: so it kept the table of all codes.
        bundler.onLoad({ filter: /@trpc\/server\/dist\/codes-.*\.mjs$/ }, async ({ path }) => ({
          contents: (await readFile(path, 'utf8')).replace(
            /(const retryableRpcCodes = )(\[[^\]]*\])/,
            '$1/* @__PURE__ */ (() => $2)()',
          ),
          loader: 'js',
        }))
      },
    },
  ],
} satisfies Options

await build({
  ...shared,
  entry: ['src/index.ts'],
  format: ['esm', 'cjs'],
  clean: true,
  sourcemap: true,
  dts: {
    // The path makes the build bundle the server's types into index.d.ts; a package would be left out.
    compilerOptions: { paths: { '@companion/server/router': ['../server/src/router.ts'] } },
    // tRPC's own types mention `Disposable`, which a project with default settings does not declare.
    banner: '/// <reference lib="esnext.disposable" />',
  },
})
const here = (path: string) => new URL(path, import.meta.url)
await documentFields(here('dist/index.d.ts'), here('dist/index.d.cts'))

await build({
  ...shared,
  entry: {
    testing: 'testing/index.ts',
    firmware: 'src/firmware.ts',
    oauth: 'src/oauth.ts',
    webhooks: 'src/webhooks.ts',
  },
  splitting: false,
  format: ['esm', 'cjs'],
  sourcemap: true,
  // The types of the package itself are not repeated.
  external: ['@companion/sdk'],
  // So small that it comes along.
  noExternal: ['@noble/hashes'],
  dts: {
    entry: {
      testing: 'testing/index.ts',
      firmware: 'src/firmware.ts',
      oauth: 'src/oauth.ts',
      token: 'src/token.ts',
      webhooks: 'src/webhooks.ts',
    },
  },
})

// Its types name those of the package; its code holds all that it needs.
await build({
  ...shared,
  ...trpcBundled,
  entry: { token: 'src/token.ts' },
  noExternal: [/^@trpc/, '@companion/sdk'],
  splitting: false,
  format: ['esm', 'cjs'],
  sourcemap: true,
})

// React Native's Metro does not remove unused exports of a package: without a build of its own the SDK added 48 kB
// (gzipped) to an app, tRPC's server included. This build bundles only the parts of tRPC that the SDK uses.
await build({
  ...shared,
  ...trpcBundled,
  entry: { 'index.native': 'src/index.ts' },
  format: 'cjs',
  outExtension: () => ({ js: '.cjs' }),
})
