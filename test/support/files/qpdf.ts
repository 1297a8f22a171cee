import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { withPdfFile } from './poppler.ts'

/** Whether this machine can read the objects of a PDF. */
export const hasQpdf = spawnSync('qpdf', ['--version']).status === 0

/** What screen readers and viewers need to know of a PDF, as qpdf reads it. */
export interface Tags {
  title: string
  language: string
  showsTitle: boolean
  bookmarks: string[]
  /** The words that stand for the signs of a line, in the order of the tags. */
  spans: string[]
  /** Figures without a text for people who cannot see them. */
  unlabelled: number
  /** What is painted neither for a tag nor as decoration, by its operators. */
  untagged: string[]
  /** The marked contents by page, and by the numbers that count them from the top: `0/17`; as the tags follow each other. */
  read: string[]
  /** The marked contents of all pages. */
  painted: string[]
}

/** A mark, its end, or what paints. */
const OPERATOR = /^\/(\w+) <<([\s\S]*?)>> BDC$|^EMC$|^(?:\[[^\n]*\] TJ|[SsfB]\*?|\/\w+ Do)$/gm

type Value = string | number | boolean | null | Value[] | { [key: string]: Value }
type Dictionary = { [key: string]: Value }
interface Stored {
  value?: Value
  stream?: { dict: Dictionary; data: string }
}

export async function readTags(pdf: Uint8Array): Promise<Tags> {
  const json = await withPdfFile(pdf, async (file) => {
    const options = ['--json=2', '--json-stream-data=inline', '--decode-level=generalized']
    const { stdout } = await promisify(execFile)('qpdf', [...options, file], { maxBuffer: 2 ** 28 })
    return JSON.parse(stdout) as { qpdf: [unknown, Record<string, Stored>] }
  })
  const [, objects] = json.qpdf
  const follow = (value: Value | undefined): Value =>
    typeof value === 'string' && value.endsWith(' 0 R')
      ? (objects[`obj:${value}`]?.value ?? null)
      : (value ?? null)
  const at = (value: Value | undefined): Dictionary => {
    const found = follow(value)
    return typeof found === 'object' && found !== null && !Array.isArray(found) ? found : {}
  }
  const list = (value: Value | undefined): Value[] => {
    const found = follow(value)
    return Array.isArray(found) ? found : found === null ? [] : [found]
  }
  const text = (value: Value | undefined) => {
    const found = follow(value)
    return typeof found === 'string' ? found.replace(/^u:/, '') : ''
  }

  const trailer = at(objects['trailer']?.value)
  const root = at(trailer['/Root'])
  const pages = list(at(root['/Pages'])['/Kids'])
  const tags: Tags = {
    title: text(at(trailer['/Info'])['/Title']),
    language: text(root['/Lang']),
    showsTitle: at(root['/ViewerPreferences'])['/DisplayDocTitle'] === true,
    bookmarks: [],
    spans: [],
    unlabelled: 0,
    untagged: [],
    read: [],
    painted: [],
  }
  for (let item = at(root['/Outlines'])['/First']; item !== undefined; item = at(item)['/Next'])
    tags.bookmarks.push(text(at(item)['/Title']))

  const visit = (value: Value, page: Value | undefined): void => {
    if (typeof value === 'number') return void tags.read.push(`${pages.indexOf(page ?? null)}/${value}`)
    const element = at(value)
    const own = element['/Pg'] ?? page
    if (element['/MCID'] !== undefined) return visit(element['/MCID'], own)
    if (element['/ActualText'] !== undefined) tags.spans.push(text(element['/ActualText']))
    if (element['/S'] === '/Figure' && text(element['/Alt']) === '') tags.unlabelled += 1
    for (const kid of list(element['/K'])) visit(kid, own)
  }
  for (const kid of list(at(root['/StructTreeRoot'])['/K'])) visit(kid, undefined)

  for (const [number, page] of pages.entries()) {
    const contents = at(page)['/Contents']
    const { data = '' } = (typeof contents === 'string' && objects[`obj:${contents}`]?.stream) || {}
    const marks: string[] = []
    for (const [operator, tag, properties = ''] of Buffer.from(data, 'base64')
      .toString('latin1')
      .matchAll(OPERATOR)) {
      if (tag !== undefined) {
        const content = /\/MCID (\d+)/.exec(properties)?.[1]
        marks.push(content === undefined ? tag : 'content')
        if (content !== undefined) tags.painted.push(`${number}/${content}`)
      } else if (operator === 'EMC') marks.pop()
      else if (!marks.includes('content') && !marks.includes('Artifact'))
        tags.untagged.push(`page ${number + 1}: ${operator}`)
    }
  }
  return tags
}
