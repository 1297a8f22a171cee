import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    // The limits only end tests that hang. They say nothing about speed: on a busy machine a test takes many times longer.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
