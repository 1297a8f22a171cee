import { readFile } from 'node:fs/promises'

/** The blocks of the SDK's README that are files, by name. */
export async function readmeFiles(): Promise<Map<string, string>> {
  const markdown = await readFile(new URL('../../sdk/README.md', import.meta.url), 'utf8')
  const blocks = markdown.matchAll(/^```\w+ (\S+)\n(.*?)^```/gms)
  return new Map([...blocks].map(([, name = '', code = '']) => [name, code]))
}
