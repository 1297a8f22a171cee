import { randomInt, randomUUID } from 'node:crypto'
import { writeFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { deriveKeys } from '@companion/server/auth/keys.ts'
import { computeCheckCode, sealReport, sealPlaceholder, verifySeal } from '@companion/server/reports/seal.ts'
import { companion } from '../support/command.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { connectBasestation } from '../support/basestations.ts'
import { readPdf } from '../support/files/pdf.ts'
import { fetchReport, REPORT } from '../support/report.ts'
import { TEST_SECRET, useServer } from '../support/server.ts'

const server = useServer()
const { reportSeal: key } = deriveKeys(TEST_SECRET)

const identity = {
  child: '지우',
  first: '2026-03-01',
  last: '2026-03-31',
  made_at: '2026-04-01T00:00:00.000Z',
  time_zone: 'America/New_York',
}
/** What the seal proves of the report of this file. */
const ofReport = { ...identity, child: expect.any(String), made_at: expect.any(String) }

let token: string
let query: Record<string, string | number>
let pdf: Buffer
beforeAll(async () => {
  ;({ token } = await signUp(server))
  const child = await addChild(server, token)
  await upload(server, [devlogItem(child.unique_id, '2026-03-01T21:30:00')])
  const { basestation_id } = await connectBasestation(server, token)
  const { real_user_id } = child
  query = { real_user_id, basestation_id, start_date: '2026-03-01', end_date: '2026-03-31', language: 'EN' }
  pdf = await report()
})

const report = async (language = 'EN') =>
  Buffer.from((await fetchReport(server, REPORT, token, { ...query, language })).bytes)

/** Sends a file to the page as a browser does. */
async function send(file: Uint8Array | undefined, headers: Record<string, string> = {}, field = 'report') {
  const form = new FormData()
  if (file) form.set(field, new File([new Uint8Array(file)], 'Beta_Report.pdf', { type: 'application/pdf' }))
  const response = await fetch(`${server.url}/verify`, {
    method: 'POST',
    body: form,
    headers: { 'accept-language': 'en', ...headers },
  })
  const [, heading = ''] = /<h1>(.+)<\/h1>/.exec(await response.clone().text()) ?? []
  return { status: response.status, heading, html: await response.text(), headers: response.headers }
}

const GENUINE = 'The report is genuine'
const CHANGED = 'The report is not genuine'
const UNKNOWN = 'Not a report of this service'

test.each([
  ['EN', 'Check code', 'Check at'],
  ['KR', '확인 코드', '확인하는 곳'],
])(
  'every page of a report in %s has its check code, and the metadata has its digest',
  async (language, words, at) => {
    const made = await report(language)
    const verdict = verifySeal(key, made)
    expect(verdict).toEqual({
      state: 'made',
      code: expect.stringMatching(/^[0-9A-Z]{4}(-[0-9A-Z]{4}){2}$/),
      report: ofReport,
    })
    const code = 'code' in verdict ? verdict.code : ''
    const { pages } = await readPdf(new Uint8Array(made))
    expect(pages.length).toBeGreaterThan(1)
    for (const page of pages)
      expect(page.at(-1)?.join(' ')).toBe(`${words} ${code}. ${at} ${server.url}/verify`)
    expect(made.toString('latin1')).toMatch(
      new RegExp(`companion-report ${code} [\\w-]+ hmac-sha256 [0-9a-f]{64}`),
    )
  },
)

describe('a change is found', () => {
  test('of any bit of any byte of a file', () => {
    const small = Buffer.from(
      `%PDF-1.7\n1 0 obj\n(${sealPlaceholder(computeCheckCode(key, 'x'), identity)})\nendobj\ntrailer\n%%EOF\n`,
    )
    sealReport(key, small)
    expect(verifySeal(key, small).state).toBe('made')
    for (let at = 0; at < small.length; at += 1)
      for (let bit = 0; bit < 8; bit += 1) {
        const changed = Buffer.from(small)
        changed.writeUInt8(changed.readUInt8(at) ^ (1 << bit), at)
        expect([at, bit, verifySeal(key, changed).state]).not.toContain('made')
      }
  })

  test('of any byte of a report: 500 of them', () => {
    for (let n = 0; n < 500; n += 1) {
      const at = randomInt(pdf.length)
      const changed = Buffer.from(pdf)
      changed.writeUInt8(changed.readUInt8(at) ^ (1 << randomInt(8)), at)
      expect([at, verifySeal(key, changed).state]).not.toContain('made')
    }
  })

  test('when something is appended, cut off, taken out, or sealed twice', () => {
    const inserted = Buffer.concat([pdf.subarray(0, 1000), Buffer.from(' '), pdf.subarray(1000)])
    const shorter = Buffer.concat([pdf.subarray(0, 1000), pdf.subarray(1001)])
    const wrong = [Buffer.concat([pdf, Buffer.from('\n')]), pdf.subarray(0, -1), inserted, shorter]
    for (const each of [...wrong, Buffer.concat([pdf, pdf])])
      expect(verifySeal(key, each).state).toBe('changed')
  })

  test('when the code or the digest is that of another report', async () => {
    const other = await report('KR')
    const sealOf = (file: Buffer) => /companion-report [^)]+/.exec(file.toString('latin1'))?.[0] ?? ''
    const stolen = Buffer.from(pdf.toString('latin1').replace(sealOf(pdf), sealOf(other)), 'latin1')
    expect(verifySeal(key, stolen).state).toBe('changed')
  })

  test('by who has another key', () => {
    const { reportSeal } = deriveKeys('another secret of thirty-two bytes or more')
    expect(verifySeal(reportSeal, pdf).state).toBe('changed')
  })
})

test('a report from before its seal said whose it is remains genuine', () => {
  const code = computeCheckCode(key, 'x')
  const place = sealPlaceholder(code, identity).replace(/ [\w-]+ hmac/, ' hmac')
  const old = Buffer.from(`%PDF-1.7\n1 0 obj\n(${place})\nendobj\ntrailer\n%%EOF\n`)
  sealReport(key, old)
  expect(verifySeal(key, old)).toEqual({ state: 'made', code })
})

test('the longest name of a child fits into the seal', async () => {
  const small = Buffer.from(
    `%PDF-1.7\n1 0 obj\n(${sealPlaceholder(computeCheckCode(key, 'x'), { ...identity, child: '가'.repeat(201) })})\nendobj\n%%EOF\n`,
  )
  sealReport(key, small)
  expect(verifySeal(key, small)).toMatchObject({ report: { child: '가'.repeat(201) } })
})

test('a rotation of TOKEN_SECRET breaks no seal, since HASH_SECRET stays', () => {
  const rotated = deriveKeys('a new secret of thirty-two bytes or more', {
    previousTokenSecret: TEST_SECRET,
    hashSecret: TEST_SECRET,
  })
  expect(verifySeal(rotated.reportSeal, pdf).state).toBe('made')
})

test('a child whose name is a seal does not make one', async () => {
  await server.database.pool.query('UPDATE real_user SET first_name = $1 WHERE id = $2', [
    `obj (companion-report 0000-0000-0000 hmac-sha256 ${'0'.repeat(64)})`.slice(0, 100),
    query['real_user_id'],
  ])
  expect(verifySeal(key, await report()).state).toBe('made')
})

describe('companion report verify', () => {
  const verify = async (content: Uint8Array, ...options: string[]) => {
    const file = join(tmpdir(), `${randomUUID()}.pdf`)
    await writeFile(file, content)
    onTestFinished(() => rm(file))
    return companion(server, 'report', 'verify', file, ...options)
  }

  test('says that a report is genuine, and its code', async () => {
    const done = await verify(pdf)
    expect(done).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^This service made this report, and it is unchanged\.\nChild: .+\nPeriod: 1 March 2026 – 31 March 2026\nCreated: .+ \(America\/New_York, UTC−0[45]:00\)\nCheck code: \S{14}\n$/,
      ),
    })
    expect((await verify(pdf, '--json')).result).toEqual(verifySeal(key, pdf))
  })

  test('fails for everything else', async () => {
    expect(await verify(Buffer.concat([pdf, Buffer.from(' ')]))).toMatchObject({
      code: 1,
      said: 'This report was changed, or another service made it\n',
    })
    const other = await verify(Buffer.from('%PDF-1.7\n'), '--json')
    expect(other).toMatchObject({ code: 1, result: { state: 'unknown' } })
    expect(await companion(server, 'report', 'verify', '/nowhere/report.pdf')).toMatchObject({
      code: 1,
      said: expect.stringContaining('cannot be read'),
    })
  })
})

describe('the page', () => {
  test('says of a file whether it is genuine, and keeps nothing', async () => {
    const made = await send(pdf)
    expect(made).toMatchObject({ status: 200, heading: GENUINE })
    const verdict = verifySeal(key, pdf)
    expect(made.html).toContain('code' in verdict ? verdict.code : 'no code')
    expect(made.html).toContain('<strong>Period:</strong> 1 March 2026 – 31 March 2026')
    expect(made.headers.get('cache-control')).toBe('no-store')
    expect(made.headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
    const changed = Buffer.from(pdf)
    changed.writeUInt8(changed.readUInt8(500) ^ 1, 500)
    expect(await send(changed)).toMatchObject({ status: 200, heading: CHANGED })
    expect(await send(Buffer.from('a shopping list'))).toMatchObject({ status: 200, heading: UNKNOWN })
    expect(await send(pdf, { 'accept-language': 'ko' })).toMatchObject({ heading: '진본 보고서입니다' })
  })

  test('bounds what it takes, and is not led astray', async () => {
    expect(await send(Buffer.alloc(10_000_001))).toMatchObject({
      status: 413,
      heading: 'The file is too large',
    })
    const packed = { 'content-type': 'multipart/form-data; boundary=x', 'content-encoding': 'br' }
    expect((await server.post('/verify', { body: brotliCompressSync('--x'), headers: packed })).status).toBe(
      415,
    )
    const absent = { status: 422, heading: 'No file arrived' }
    expect(await send(undefined)).toMatchObject(absent)
    expect(await send(Buffer.alloc(0))).toMatchObject(absent)
    expect(await send(pdf, {}, 'other')).toMatchObject(absent)
    for (const [type, body] of [
      ['multipart/form-data', 'x'],
      ['multipart/form-data; boundary=x', '--x\r\nbroken'],
      ['application/json', '{}'],
    ] as const) {
      const response = await server.post('/verify', { body, headers: { 'content-type': type } })
      expect([type, response.status]).toEqual([type, 422])
    }
    // Of eight at once four are judged.
    const heldUp = await Promise.all(Array.from({ length: 8 }, () => send(Buffer.alloc(9_000_000))))
    expect(heldUp.map(({ status }) => status)).toContain(503)
    expect(heldUp.map(({ status }) => status)).toContain(200)
    expect((await server.get('/verify')).status).toBe(200)
    expect((await server.delete('/verify')).status).toBe(405)
  })
})
