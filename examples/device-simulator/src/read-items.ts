import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'

/**
 * Reads the items in a JSON file, or on standard input for `-`. Checks only that they are a list, so that a broken
 * record reaches the server. Throws an Error that says what is wrong with the file.
 */
export async function readItems(file: string): Promise<unknown[]> {
  const content = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')
  const items = parse(content, file)
  if (!Array.isArray(items)) throw new Error(`${file} does not contain a JSON array of items`)
  return items
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
