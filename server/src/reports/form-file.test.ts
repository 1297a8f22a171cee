import { expect, test } from 'vitest'
import { extractFormFile } from './form-file.ts'

const TYPE = 'multipart/form-data; boundary=x'
const part = (headers: string, content: string) => `--x\r\n${headers}\r\n\r\n${content}\r\n`
const report = (content: string) =>
  part(
    'Content-Disposition: form-data; name="report"; filename="a.pdf"\r\nContent-Type: application/pdf',
    content,
  )
const fileIn = (form: string, type = TYPE) =>
  extractFormFile(Buffer.from(form, 'latin1'), type, 'report')?.toString('latin1')

test.each([
  ['alone', `${report('%PDF')}--x--\r\n`, TYPE, '%PDF'],
  [
    'behind another field',
    `${part('Content-Disposition: form-data; name="a"', 'b')}${report('%PDF')}--x--`,
    TYPE,
    '%PDF',
  ],
  ['behind a preamble', `hello\r\n${report('%PDF')}--x--`, TYPE, '%PDF'],
  ['with line ends in it', `${report('\r\n\r\n-x--\r\n')}--x--`, TYPE, '\r\n\r\n-x--\r\n'],
  ['without a byte', `${report('')}--x--`, TYPE, ''],
  [
    'with a quoted boundary',
    `${report('%PDF')}--x--`,
    'Multipart/Form-Data; charset=utf-8; boundary="x"',
    '%PDF',
  ],
])('a file is found %s', (_where, form, type, content) => {
  expect(fileIn(form, type)).toBe(content)
})

test.each([
  [
    'another field',
    `${part('Content-Disposition: form-data; name="other"; filename="report"', 'x')}--x--`,
    TYPE,
  ],
  ['no file', `${part('Content-Disposition: form-data; name="report"', 'x')}--x--`, TYPE],
  ['no end', report('%PDF').slice(0, -2), TYPE],
  ['no end of its headers', '--x\r\nContent-Disposition: form-data; name="report"; filename="a"', TYPE],
  ['no boundary', `${report('%PDF')}--x--`, 'multipart/form-data'],
  ['another boundary', `${report('%PDF')}--x--`, 'multipart/form-data; boundary=y'],
  ['headers without end', `--x\r\n${'a'.repeat(5000)}\r\n\r\n\r\n--x--`, TYPE],
  [
    'ten other fields before it',
    `${part('Content-Disposition: form-data; name="a"', 'b').repeat(10)}${report('x')}--x--`,
    TYPE,
  ],
])('no file is found with %s', (_what, form, type) => {
  expect(fileIn(form, type)).toBeUndefined()
})
