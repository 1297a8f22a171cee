import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

const service = process.env['COMPANION_URL'] ?? 'http://localhost:3000'

export default defineConfig({
  // The service serves the build under this path.
  base: '/clinic/',
  plugins: [react()],
  build: {
    outDir: 'dist/app',
    // The policy of the service admits no `data:`, so that nothing small may be put into the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/api': service, '/trpc': service } },
  test: {
    include: ['src/**/*.test.ts'],
    // The limits only end tests that hang. They say nothing about speed: on a busy machine a test takes many times longer.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
