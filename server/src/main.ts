import { setFlagsFromString } from 'node:v8'

// While modules load, V8 would let its young generation grow to 64 MB and keep them as long as requests come in. With
// this flag it grows only as requests need it (docs/decisions/memory-of-exports.md).
setFlagsFromString('--semi-space-growth-factor=1')
const { runCompanion } = await import('./commands/companion.ts')
setFlagsFromString('--semi-space-growth-factor=2')

await runCompanion(process.argv.slice(2))
