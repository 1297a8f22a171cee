import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PNG } from 'pngjs'

/** Whether this machine can turn the pages of a PDF into pictures. */
export const hasPoppler = spawnSync('pdftoppm', ['-v']).status === 0

const run = promisify(execFile)

/** What `use` makes of a PDF in a file of its own. */
export async function withPdfFile<Made>(
  pdf: Uint8Array,
  use: (file: string, directory: string) => Promise<Made>,
): Promise<Made> {
  const directory = await mkdtemp(join(tmpdir(), 'companion-pages-'))
  try {
    const file = join(directory, 'report.pdf')
    await writeFile(file, pdf)
    return await use(file, directory)
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** The text of a PDF as a reader copies it, on one line, without marks of direction. */
export const copiedText = (pdf: Uint8Array): Promise<string> =>
  withPdfFile(pdf, async (file) => {
    const { stdout } = await run('pdftotext', [file, '-'], { timeout: 30_000 })
    return stdout.replaceAll(/[\u202A-\u202E\s]+/g, ' ').normalize('NFC')
  })

/** The tags of a PDF with their texts, as a screen reader follows them. */
export const structureOf = (pdf: Uint8Array): Promise<string> =>
  withPdfFile(pdf, async (file) => (await run('pdfinfo', ['-struct-text', file], { timeout: 30_000 })).stdout)

/** Turns the pages of a PDF into pictures of `resolution` dots per inch. */
export const renderPages = (pdf: Uint8Array, resolution: number): Promise<PNG[]> =>
  withPdfFile(pdf, async (file, directory) => {
    const page = join(directory, 'page')
    await run('pdftoppm', ['-r', String(resolution), '-png', file, page], { timeout: 30_000 })
    const names = (await readdir(directory)).filter((name) => name.endsWith('.png')).toSorted()
    return Promise.all(names.map(async (name) => PNG.sync.read(await readFile(join(directory, name)))))
  })
