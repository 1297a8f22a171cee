import { strFromU8, unzipSync } from 'fflate'
import { beforeAll, expect, test } from 'vitest'
import { addChild, devlogItem, PASSWORD, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { companion } from '../support/command.ts'
import { addService, connect, createBrowser } from '../support/oauth.ts'
import { scripts } from '../support/scripts.ts'
import type { Written } from '../support/scripts.ts'
import { useServer } from '../support/server.ts'
import { mailTo, shares } from '../support/shares.ts'

/*
 * What a family writes in 20 scripts leaves the service as it was written, wherever it is given out. For reports see
 * test/reports/scripts.test.ts.
 */

const server = useServer()

const DAY = '2026-03-01'
let owner: Account
const children: Awaited<ReturnType<typeof addChild>>[] = []
/** A child that has had each name. */
let renamed: number

const rename = async ({ first_name, last_name }: Written, id: number) => {
  const json = { id, first_name, last_name }
  const path = `/api/v1/beta/user/real-user/${id}`
  const { status } = await server.patch(path, { token: owner.token, json })
  if (status !== 200) throw new Error(`Not renamed: ${status}`)
}

beforeAll(async () => {
  owner = await signUp(server)
  const { token } = owner
  renamed = (await addChild(server, token)).real_user_id
  for (const written of scripts) {
    const child = await addChild(server, token)
    children.push(child)
    await upload(server, [devlogItem(child.unique_id, `${DAY}T21:30:00`)])
    await rename(written, child.real_user_id)
    await rename(written, renamed)
    const { medication, memo } = written
    const event_data = { medication: [{ medication_name: medication, medication_dose: 1 }], hospital: [memo] }
    const note = { real_user_id: child.real_user_id, created_at: DAY, memo, event_data }
    const { status } = await server.post('/api/v1/beta/event', { token, json: note })
    if (status !== 200) throw new Error(`Not noted: ${status}`)
  }
  // A name goes into the trail when it is changed.
  for (const last of scripts.slice(0, 1)) await rename({ ...last, first_name: 'Mina' }, renamed)
})

/** All texts of a JSON value, in one. */
const textsOf = (value: unknown): string =>
  typeof value === 'string'
    ? `${value}\n`
    : typeof value === 'object' && value !== null
      ? Object.values(value).map(textsOf).join('')
      : ''

async function bytesOf(path: string, { token, json }: { token: string; json?: object }): Promise<Uint8Array> {
  const response = await fetch(`${server.url}${path}`, {
    method: json ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(json && { body: JSON.stringify(json) }),
  })
  expect(response.status).toBe(200)
  return response.bytes()
}

async function exportOf(format: string): Promise<string> {
  const { token } = owner
  const bytes = await bytesOf('/api/v1/beta/user/export', { token, json: { format, password: PASSWORD } })
  return textsOf(Object.values(unzipSync(bytes)).map((file) => JSON.parse(strFromU8(file))))
}

/** The mails of invitations by a parent of each name, and the pages that their links open. */
async function invitations(): Promise<{ mails: string; pages: string }> {
  const { token } = owner
  const [mails, pages]: [string[], string[]] = [[], []]
  for (const [index, { script, first_name, last_name }] of scripts.entries()) {
    const real_user_id = children[index]?.real_user_id ?? 0
    const email = `${script.toLowerCase()}@example.com`
    await server.patch('/api/v1/beta/user/root-user', { token, json: { first_name, last_name } })
    expect((await shares(server).invite(owner, { real_user_id, email })).status).toBe(200)
    const mail = await mailTo(server, email)
    mails.push(textsOf(mail))
    const { pathname, search } = new URL(mail['link'] ?? '')
    pages.push(decoded(await (await fetch(`${server.url}${pathname}${search}`)).text()))
  }
  return { mails: mails.join('\n'), pages: pages.join('\n') }
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

const decoded = (xml: string) =>
  xml.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')

const everything = ({ first_name, last_name, medication, memo }: Written) => [
  first_name,
  last_name,
  medication,
  memo,
]
const firstName = ({ first_name }: Written) => [first_name]

/** Where the texts of a family come out, and which of them. */
const outputs: [name: string, output: () => Promise<string>, texts: (written: Written) => string[]][] = [
  [
    'the answers to the app',
    async () => {
      const { token } = owner
      const responses = children.flatMap(({ real_user_id }) => [
        server.get(`/api/v1/beta/user/real-user/${real_user_id}`, { token }),
        server.get('/api/v1/beta/event', { token, query: { real_user_id, event_date: DAY } }),
      ])
      return textsOf((await Promise.all(responses)).map(({ body }) => body))
    },
    everything,
  ],
  ['the export as JSON', () => exportOf('json'), everything],
  ['the export as FHIR', () => exportOf('fhir'), everything],
  [
    'the spreadsheet',
    async () => {
      const sheets: string[] = []
      for (const { unique_id } of children) {
        const query = `unique_id=${unique_id}&start_date=${DAY}&end_date=${DAY}`
        const bytes = await bytesOf(`/api/v1/gamma/device/export?${query}`, owner)
        sheets.push(...Object.values(unzipSync(bytes)).map((file) => decoded(strFromU8(file))))
      }
      return sheets.join('\n')
    },
    // It bears initials.
    ({ first_name }) => [[...graphemes.segment(first_name)][0]?.segment ?? ''],
  ],
  ['the mail of an invitation', async () => (await invitations()).mails, firstName],
  ['the page of an invitation', async () => (await invitations()).pages, firstName],
  [
    'the page of consent',
    async () => {
      const connection = await connect(server, await addService(server))
      const browser = createBrowser(server.url)
      const { location } = await browser.ask(await connection.authorizeUrl({ scope: 'child:read' }))
      const signedIn = await browser.ask(location, { email: owner.email, password: PASSWORD, action: 'go' })
      const arrived = await browser.ask(signedIn.location)
      return decoded((await browser.ask(arrived.location)).page)
    },
    firstName,
  ],
  [
    'the trail',
    async () => (await companion(server, 'trail', 'export', '--child', String(renamed))).out,
    firstName,
  ],
]

test.each(outputs)('%s has every text as it was written', async (_name, output, texts) => {
  const found = await output()
  expect(scripts.flatMap(texts).filter((text) => !found.includes(text))).toEqual([])
})
