import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PNG } from 'pngjs'

/** Whether this machine can turn the pages of a PDF into pictures. */
export const hasPoppler = spawnSync('pdftoppm', ['-v']).status === 0

/** Turns the pages of a PDF into pictures of `resolution` dots per inch. */
export async function renderPages(pdf: Uint8Array, resolution: number): Promise<PNG[]> {
  const directory = await mkdtemp(join(tmpdir(), 'companion-pages-'))
  try {
    const file = join(directory, 'report.pdf')
    await writeFile(file, pdf)
    await promisify(execFile)('pdftoppm', ['-r', String(resolution), '-png', file, join(directory, 'page')], {
      timeout: 30_000,
    })
    const names = (await readdir(directory)).filter((name) => name.endsWith('.png')).toSorted()
    return await Promise.all(names.map(async (name) => PNG.sync.read(await readFile(join(directory, name)))))
  } finally {
    await rm(directory, { recursive: true })
  }
}
