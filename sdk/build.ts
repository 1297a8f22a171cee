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
        bundler.onLoad({ filter: /src\/operations\/\w+\.ts$/ }, async ({ path }) => ({
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
    // Seen as a path and not as a package, the server's types are rolled into index.d.ts.
    compilerOptions: { paths: { '@companion/server/router': ['../server/src/router.ts'] } },
    // tRPC's own types speak of `Disposable`, which a project with default settings does not know.
    banner: '/// <reference lib="esnext.disposable" />',
  },
})
const here = (path: string) => new URL(path, import.meta.url)
await documentFields(here('dist/index.d.ts'), here('dist/index.d.cts'))

// React Native's Metro leaves nothing out that a package exports: the SDK cost an app 48 kB (gzipped), tRPC's server
// included. So its build holds what is used of tRPC.
await build({
  ...shared,
  entry: { 'index.native': 'src/index.ts' },
  format: 'cjs',
  noExternal: [/^@trpc/],
  outExtension: () => ({ js: '.cjs' }),
})
