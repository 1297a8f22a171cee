import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

/* docs/security/asvs.md goes through the levels 1 and 2 of OWASP ASVS 5.0.0. This holds it to the list of the standard. */

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** The sections of the standard: one digit for each of their items, in its order, which is the item's level. */
const LEVELS = {
  '1.1': '22',
  '1.2': '1111122223',
  '1.3': '112222222223',
  '1.4': '222',
  '1.5': '123',
  '2.1': '122',
  '2.2': '112',
  '2.3': '12223',
  '2.4': '23',
  '3.1': '3',
  '3.2': '113',
  '3.3': '12223',
  '3.4': '11222233',
  '3.5': '11122333',
  '3.6': '3',
  '3.7': '22333',
  '4.1': '12233',
  '4.2': '23333',
  '4.3': '22',
  '4.4': '1222',
  '5.1': '2',
  '5.2': '112333',
  '5.3': '113',
  '5.4': '222',
  '6.1': '122',
  '6.2': '111111112222',
  '6.3': '11223333',
  '6.4': '112233',
  '6.5': '22222333',
  '6.6': '2223',
  '6.7': '33',
  '6.8': '2222',
  '7.1': '222',
  '7.2': '1111',
  '7.3': '22',
  '7.4': '11222',
  '7.5': '223',
  '7.6': '22',
  '8.1': '1233',
  '8.2': '1123',
  '8.3': '133',
  '8.4': '23',
  '9.1': '111',
  '9.2': '1222',
  '10.1': '22',
  '10.2': '223',
  '10.3': '22223',
  '10.4': '1111122222233333',
  '10.5': '22222',
  '10.6': '22',
  '10.7': '222',
  '11.1': '2233',
  '11.2': '22233',
  '11.3': '11233',
  '11.4': '1222',
  '11.5': '23',
  '11.6': '23',
  '11.7': '33',
  '12.1': '12233',
  '12.2': '11',
  '12.3': '22223',
  '13.1': '2333',
  '13.2': '222223',
  '13.3': '2233',
  '13.4': '1222233',
  '14.1': '22',
  '14.2': '12223333',
  '14.3': '122',
  '15.1': '12233',
  '15.2': '12233',
  '15.3': '1222222',
  '15.4': '3333',
  '16.1': '2',
  '16.2': '22222',
  '16.3': '2222',
  '16.4': '222',
  '16.5': '2223',
  '17.1': '23',
  '17.2': '22223333',
  '17.3': '22',
}
const ITEMS = Object.entries(LEVELS).flatMap(([section, levels]) =>
  levels
    .split('')
    .flatMap((level, place) => (level === '3' ? [] : [`v5.0.0-${section}.${place + 1} ${level}`])),
)
const STATES = ['met', 'not applicable', "operator's", 'not met']

const page = read('docs/security/asvs.md')
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| v5.0.0-'))
  .map((line) => {
    const [item = '', level = '', words = '', state = '', proof = '', ...more] = line
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.trim())
    return { item, level, words, state: state.replaceAll('*', ''), proof, more }
  })

/** The paths in backticks, and those of links. */
const pathsIn = (text: string) => [
  ...[...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)+\.\w+)`/g)].map(([, path = '']) => path),
  ...[...text.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, path = '']) => `docs/security/${path}`),
]

const isThere = (path: string) =>
  ['', 'server/src/'].some((base) => existsSync(new URL(`${base}${path}`, root)))

test('each item of levels 1 and 2 stands there once, in its order, with its level', () => {
  expect(ITEMS).toHaveLength(253)
  expect(rows.map(({ item, level }) => `${item} ${level}`)).toEqual(ITEMS)
})

test('each item has words, a state, and a proof or a reason', () => {
  expect(rows.filter(({ words, proof, more }) => !words || !proof || more.length > 0)).toEqual([])
  expect(rows.filter(({ state }) => !STATES.includes(state))).toEqual([])
})

test('an item that is met names a file that shows it, and every file that is named is there', () => {
  expect(rows.filter(({ state, proof }) => state === 'met' && pathsIn(proof).length === 0)).toEqual([])
  expect(rows.flatMap(({ proof }) => pathsIn(proof)).filter((path) => !isThere(path))).toEqual([])
})

test.each(STATES)('the sum of what is %s is right', (state) => {
  const [, ...sums] =
    new RegExp(`^\\| ${state} +\\| (\\d+) +\\| (\\d+) +\\| (\\d+) +\\|$`, 'm').exec(page) ?? []
  const [one, two] = ['1', '2'].map(
    (level) => rows.filter((row) => row.state === state && row.level === level).length,
  )
  expect(sums.map(Number)).toEqual([one, two, Number(one) + Number(two)])
})

test('each item that is not met has one reason', () => {
  const [, reasons = ''] = /## Not met, by reason\n(.*?)\n## /s.exec(page) ?? []
  const named = [...reasons.matchAll(/v5\.0\.0-[\d.]+\d/g)].map(([item]) => item)
  const missing = rows.filter(({ state }) => state === 'not met').map(({ item }) => item)
  expect(named.toSorted()).toEqual(missing.toSorted())
})

describe('docs/security.md', () => {
  const [, actors = ''] = /\n## Who wants it\n(.*?)\n## /s.exec(read('docs/security.md')) ?? []
  const stories = actors.split('\n### ').slice(1)

  test.each(stories.map((story) => [story.split('\n')[0], story] as const))(
    '%s: a test shows what stops it, and what is accepted is said',
    (name, story) => {
      const tests = pathsIn(story).filter((path) => path.endsWith('.test.ts'))
      expect(tests).not.toEqual([])
      expect(tests.filter((path) => !isThere(path))).toEqual([])
      expect(name === 'Chance' || story.includes('\n_Accepted:_ ')).toBe(true)
    },
  )
})
