import { join } from 'node:path'
import { DEMO_EMAIL, DEMO_PASSWORD, makeDemoFamily } from '@companion/server/demo/family.ts'
import { expect, inject, test } from 'vitest'
import { useServer } from '../support/server.ts'
import { modulesWithoutViews } from './app-bundles.ts'
import { ENGINES } from './engines.ts'

const server = useServer()

interface Day {
  modules: string[]
  children: { records: number; nights: object[] }[]
}

/** What the parents' app makes of the demo family's data in an engine. */
async function dayIn(engine: 'hermes' | 'node'): Promise<Day> {
  const { wire, stop } = (await ENGINES[engine]?.(join(inject('bundles'), `${engine}-app.js`))) ?? {}
  if (!wire || !stop) throw new Error(`There is no ${engine}`)
  const today = new Date().toISOString().slice(0, 10)
  try {
    return Object(await wire.call(0, [server.url, DEMO_EMAIL, DEMO_PASSWORD, today]))
  } finally {
    await stop()
  }
}

test('the parents’ app makes the same of the demo family’s nights in Hermes and in Node.js', async () => {
  await makeDemoFamily(server.database, { timeZone: server.config.timeZone })
  const onPhone = await dayIn('hermes')
  expect(onPhone).toEqual(await dayIn('node'))
  expect(onPhone.modules).toEqual(await modulesWithoutViews())
  expect(onPhone.modules).toEqual(expect.arrayContaining(['nights/night', 'i18n/ko', 'calendar/note-draft']))
  expect(onPhone.children).toHaveLength(2)
  for (const { records, nights } of onPhone.children) {
    expect(records).toBeGreaterThan(80)
    expect(nights.length).toBeGreaterThan(80)
  }
})
