import { setFlagsFromString } from 'node:v8'

// While modules load, V8 would let its young generation grow to 64 MB and keep them as long as requests come in. With
// this flag it grows only as requests need it (docs/decisions/memory-of-exports.md).
setFlagsFromString('--semi-space-growth-factor=1')
const { runCompanion } = await import('./commands/companion.ts')
setFlagsFromString('--semi-space-growth-factor=2')

// A reader that closes the pipe has read enough. Output that cannot be written must not look as if it were.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return
  const reason = error.code === 'ENOSPC' ? 'the disk is full' : error.message
  process.stderr.write(`The output cannot be written: ${reason}\n`)
  process.exitCode = 1
})
process.stderr.on('error', () => undefined)

await runCompanion(process.argv.slice(2))
