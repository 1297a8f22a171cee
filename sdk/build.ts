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

await build({
  ...shared,
  entry: ['src/index.ts'],
  format: ['esm', 'cjs'],
  clean: true,
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
  entry: { testing: 'testing/index.ts', oauth: 'src/oauth.ts', webhooks: 'src/webhooks.ts' },
  splitting: false,
  format: ['esm', 'cjs'],
  // The types of the package itself are not repeated.
  external: ['@companion/sdk'],
  dts: true,
})

// React Native's Metro does not remove unused exports of a package: without a build of its own the SDK added 48 kB
// (gzipped) to an app, tRPC's server included. This build bundles only the parts of tRPC that the SDK uses.
await build({
  ...shared,
  entry: { 'index.native': 'src/index.ts' },
  format: 'cjs',
  noExternal: [/^@trpc/],
  outExtension: () => ({ js: '.cjs' }),
})
