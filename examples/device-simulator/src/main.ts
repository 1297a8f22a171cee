import { createCommandLine } from './command-line.ts'

try {
  await createCommandLine().parseAsync()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
