import { defineConfig } from '@hey-api/openapi-ts'

export default defineConfig({
  input: '../../server/openapi.json',
  output: { path: 'made/hey-api', importFileExtension: '.ts' },
})
