import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts'],
  format: ['esm', 'cjs'],
  target: 'es2020',
  platform: 'neutral',
  clean: true,
  dts: {
    // Seen as a path and not as a package, the server's types are rolled into index.d.ts.
    compilerOptions: { paths: { '@companion/server/router': ['../server/src/router.ts'] } },
    // tRPC's own types speak of `Disposable`, which a project with default settings does not know.
    banner: '/// <reference lib="esnext.disposable" />',
  },
})
