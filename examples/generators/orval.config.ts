import { defineConfig } from 'orval'

export default defineConfig({
  companion: {
    input: '../../server/openapi.json',
    output: {
      target: './made/orval/client.ts',
      client: 'fetch',
      baseUrl: { runtime: 'process.env.COMPANION_URL' },
    },
  },
})
