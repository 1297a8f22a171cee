import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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
