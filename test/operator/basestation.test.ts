import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { signUp } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { connectBasestation } from '../support/basestations.ts'
import { companion as run } from '../support/command.ts'
import { useServer } from '../support/server.ts'
import { temporaryFile } from '../support/temporary-file.ts'

const server = useServer()
const companion = (...args: string[]) => run(server, ...args)

let parent: Account
beforeEach(async () => {
  parent = await signUp(server)
})

const code = () => `BST-${randomUUID().slice(0, 8).toUpperCase()}`

test('add registers one that a parent can connect; the same again is no mistake, another is', async () => {
  const [serial_code, unique_id] = [code(), randomUUID()]
  const add = (id: string) =>
    companion('basestation', 'add', '--serial-code', serial_code, '--unique-id', id, '--json')
  const first = await add(unique_id.toUpperCase())
  expect(first).toMatchObject({ code: 0, result: { serial_code, unique_id, outcome: 'added' } })
  expect((await add(unique_id)).result).toEqual({ ...first.result, outcome: 'existing' })
  expect(await add(randomUUID())).toMatchObject({
    code: 1,
    said: 'Another device has this serial code or unique id; nothing was changed\n',
  })
  expect((await add('x')).said).toContain('--unique-id must be a UUID')
  const connected = await connectBasestation(server, parent.token, { serial_code, unique_id })
  expect(connected.basestation_id).toBe(first.result.basestation_id)
})

test('import and list', async () => {
  const stations = Array.from({ length: 3 }, () => ({ serial_code: code(), unique_id: randomUUID() }))
  const lines = stations.map(({ serial_code, unique_id }) => `${unique_id},${serial_code}`)
  const file = await temporaryFile(
    'basestations.csv',
    `﻿unique_id,serial_code\n${lines.join('\n')}\n\nnot-an-id,BST-000001\n`,
  )
  const imported = await companion('basestation', 'import', file, '--json')
  expect(imported).toMatchObject({
    code: 1,
    result: {
      added: 3,
      existing: 0,
      bad_lines: [{ line: 6, reason: expect.stringContaining('unique_id') }],
    },
  })
  expect(imported.said).toContain('line 6: unique_id')
  const taken = await connectBasestation(server, parent.token, stations[2])
  const listed = await companion('basestation', 'list', '--limit', '3', '--json')
  expect(listed.result).toMatchObject(
    stations.toReversed().map((station) => ({
      ...station,
      root_user_id: station.unique_id === taken.unique_id ? parent.id : null,
    })),
  )
  expect((await companion('basestation', 'list', '--limit', '1')).out).toMatch(
    new RegExp(`^ *BASE STATION .* ACCOUNT\n.* ${parent.id}\n$`),
  )
})
