import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readCsv } from './read-csv.ts'

test('each record tells the share of the file up to its end, however much of it has been read ahead', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'companion-csv-'))
  try {
    const file = join(directory, 'letters.csv')
    await writeFile(file, 'letter\n'.repeat(4))
    const shares: number[] = []
    for await (const { progress } of readCsv(file, ['letter'], () => undefined)) shares.push(progress)
    expect(shares).toEqual([2 / 4, 3 / 4, 4 / 4])
  } finally {
    await rm(directory, { recursive: true })
  }
})

test.each([
  ['', 'is empty'],
  ['\n\n', 'is empty'],
  ['letter\na\n\u00e9\n', 'is not UTF-8 in line 3; nothing was taken'],
])('a file of %j is refused: %s', async (content, reason) => {
  const file = await temporaryFile('letters.csv', Buffer.from(content, 'latin1'))
  await expect(readAll(file)).rejects.toThrow(`${file} ${reason}`)
})

test('a byte order mark is none of the first column, and an open quote is told by the line where it begins', async () => {
  const marked = await temporaryFile('letters.csv', '\ufeffletter\na\n')
  expect(await readAll(marked)).toEqual({ letters: ['a'], bad: [] })
  const open = await temporaryFile('letters.csv', 'letter\na\n"b\nc\nd\n')
  expect(await readAll(open)).toEqual({ letters: ['a'], bad: ['3 opens a quote that nothing closes'] })
})

async function readAll(file: string) {
  const bad: string[] = []
  const letters: (string | undefined)[] = []
  for await (const { record } of readCsv(file, ['letter'], (line, reason) => bad.push(`${line} ${reason}`)))
    letters.push(record['letter'])
  return { letters, bad }
}

async function temporaryFile(name: string, content: string | Buffer): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'companion-csv-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  await writeFile(join(directory, name), content)
  return join(directory, name)
}
