import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'

/**
 * Reads the items in a JSON file, or on standard input for `-`. Checks only that they are a list, so that a broken
 * record reaches the server. Throws an Error that says what is wrong with the file.
 */
export async function readItems(file: string): Promise<unknown[]> {
  const content = await (file === '-' ? text(process.stdin) : readFile(file, 'utf8')).catch(
    (error: NodeJS.ErrnoException) => {
      throw new Error(reasons[error.code ?? '']?.(file) ?? `${file} cannot be read: ${error.message}`, {
        cause: error,
      })
    },
  )
  const items = parse(content, file)
  if (!Array.isArray(items)) throw new Error(`${file} does not contain a JSON array of items`)
  return items
}

const reasons: Partial<Record<string, (file: string) => string>> = {
  ENOENT: (file) => `There is no file ${file}`,
  EISDIR: (file) => `${file} is a folder, not a file`,
  EACCES: (file) => `You may not read ${file}`,
}

function parse(content: string, file: string): unknown {
  try {
    return JSON.parse(content)
  } catch (error) {
    throw new Error(
      `${file} does not contain JSON: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    )
  }
}
