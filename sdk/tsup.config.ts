import { build, defineConfig } from 'tsup'
import type { Options } from 'tsup'

const shared = {
  target: 'es2020',
  platform: 'neutral',
  silent: true,
} satisfies Options

export default defineConfig({
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
  // React Native's Metro leaves nothing out that a package exports: of tRPC, 48 kB of an app (gzipped), its server included.
  onSuccess: () =>
    build({
      ...shared,
      config: false,
      entry: { 'index.native': 'src/index.ts' },
      format: 'cjs',
      noExternal: [/^@trpc/],
      dts: false,
      outExtension: () => ({ js: '.cjs' }),
    }),
})
