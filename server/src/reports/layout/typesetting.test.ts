import Pdf from 'pdfkit'
import { afterEach, expect, test, vi } from 'vitest'
import { styles } from './palette.ts'
import { createTypesetter } from './typesetting.ts'

const newDocument = () => new Pdf({ font: '', size: 'A4', tagged: true })

afterEach(() => void vi.restoreAllMocks())

test('an anchor that the font leaves out does not stop a text', () => {
  const type = createTypesetter(newDocument())
  for (const text of ['ធំ', 'សុវណ្ណ', 'ڥ', 'ڢ', '\u08A4', 'لا\u0615'])
    expect(type.width(text, styles.body)).toBeGreaterThan(0)
  expect([...type.undrawn]).toEqual([])
})

test('a character that its font fails to lay out is replaced, and nothing else', () => {
  const doc = newDocument()
  const type = createTypesetter(doc)
  const layOut = doc.widthOfString.bind(doc)
  vi.spyOn(doc, 'widthOfString').mockImplementation((text, options) => {
    if (text.includes('ហ')) throw new TypeError('no such anchor')
    return layOut(text, options)
  })
  const write = vi.spyOn(doc, 'text')
  type.write('ខ្ញុំ ហ ok', 10, 20, styles.body)
  expect(write.mock.calls.map(([text]) => text).join('')).toBe('ខ្ញុំ □ ok')
  expect([...type.undrawn]).toEqual(['U+17A0'])
  expect(type.hasReplacedOn(doc.page)).toBe(true)
  expect(type.wrap('ហ '.repeat(30), styles.body, 100).length).toBeGreaterThan(1)
})

test('a space parts the texts of a tag, but not the halves of a word', () => {
  const doc = newDocument()
  const type = createTypesetter(doc)
  const write = vi.spyOn(doc, 'text')
  type.begin()
  type.write('24 of 24', 10, 20, styles.body)
  for (const line of type.wrap(`100% ${'W'.repeat(30)}`, styles.body, 100))
    type.write(line, 10, 40, styles.body)
  type.begin()
  type.write('apart', 10, 60, styles.body)
  expect(write.mock.calls.map(([text]) => text).join('')).toBe(`24 of 24 100% ${'W'.repeat(30)}apart`)
})
