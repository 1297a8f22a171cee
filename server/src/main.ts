import { setFlagsFromString } from 'node:v8'

// V8 takes the modules that it loads for a reason to let its young generation grow to 64 MB, which stay taken for as
// long as requests come in. Later it grows by what requests need (docs/decisions/memory-of-exports.md).
setFlagsFromString('--semi-space-growth-factor=1')
const { runCompanion } = await import('./commands/companion.ts')
setFlagsFromString('--semi-space-growth-factor=2')

await runCompanion()
