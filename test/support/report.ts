import { readPdf } from './files/pdf.ts'
import type { TestServer } from './server.ts'

export const REPORT = '/api/v1/beta/pdf/report'
export const EXPORT = '/api/v1/beta/pdf/export'

export const search = (query: Record<string, string | number>) =>
  Object.entries(query)
    .map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
    .join('&')

/** Gets a report as bytes; the plain client would read it as text. */
export async function fetchReport(
  { url }: TestServer,
  path: string,
  token: string,
  query: Record<string, string | number>,
): Promise<{ status: number; headers: Headers; bytes: Uint8Array }> {
  const response = await fetch(`${url}${path}?${search(query)}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return { status: response.status, headers: response.headers, bytes: await response.bytes() }
}

/** The figures in an English report, as texts. */
export interface ReportFigures {
  created: string
  period: string
  station: string
  /** The first line of each. */
  device: string
  records: string
  /** By label: `Nights used` → `27 of 30`. */
  glance: Record<string, string>
  /** By date: the other cells of its row in the table of all dates. */
  nights: Map<string, string[]>
  /** By the first and last date of a week, as written: the other cells of its row. */
  weeks: Map<string, string[]>
  /** Dates that have notes. */
  noted: string[]
  surveys: string[][]
  pages: number
  /** The whole text, without the running heads and feet of pages. */
  text: string
}

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)
const DAY = new RegExp(`^(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat), (\\d{1,2}) (${MONTHS.join('|')}) (\\d{4})$`)

const WEEK = /^\d{1,2} [A-Z][a-z]{2} – \d{1,2} [A-Z][a-z]{2} \d{4}$/

const isoDate = (text: string | undefined) => {
  const [, day = '', month = '', year = ''] = DAY.exec(text ?? '') ?? []
  return year && `${year}-${String(MONTHS.indexOf(month) + 1).padStart(2, '0')}-${day.padStart(2, '0')}`
}

/** Reads the figures of an English report from its pages, or from the first. */
export async function readFigures(bytes: Uint8Array, mostPages?: number): Promise<ReportFigures> {
  const { pages } = await readPdf(bytes, mostPages)
  // Leave out the running head and foot of each page.
  const lines = pages.flatMap((page, index) => page.slice(index === 0 ? 0 : 1, -2))
  const from = (title: string) => lines.findIndex((line) => line.length === 1 && line[0] === title)
  const fact = (label: string) => lines.find(([first]) => first === label)?.[1] ?? ''
  const glance = lines.slice(from('At a glance') + 1, from('How to read this report'))
  const tiles = glance.flatMap((cells, row) => {
    const [first = ''] = cells
    if (['Nights used', 'Longest gap'].includes(first))
      return cells.map((label, column) => [label, glance[row + 1]?.[column] ?? ''])
    // The others have their figures beside them.
    return ['Mean usage time', 'Mean intensity', 'Goal of a night'].includes(first)
      ? cells.flatMap((label, column) => (column % 2 === 0 ? [[label, cells[column + 1] ?? '']] : []))
      : []
  })
  const titles = [
    'Medication, hospital visits and memos',
    'Survey scores',
    'Records by date',
    'Records by week',
  ]
  const [notes = -1, surveys = -1, nights = -1, weeks = -1] = titles.map(from)
  /** The dated lines of a section, which is left out when it is empty. */
  const section = (first: number) => {
    const last = [notes, surveys, nights, weeks].find((place) => place > first)
    return first === -1 ? [] : lines.slice(first, last).filter(([text]) => isoDate(text))
  }
  return {
    created: fact('Created'),
    device: fact('Device'),
    records: fact('Records'),
    period: fact('Period'),
    station: fact('Base station'),
    glance: Object.fromEntries(tiles),
    noted: section(notes).map(([date]) => isoDate(date)),
    surveys: section(surveys).map(([date, ...scores]) => [isoDate(date), ...scores]),
    nights: new Map(section(nights).map(([date, ...cells]) => [isoDate(date), cells])),
    weeks: new Map(
      weeks === -1
        ? []
        : lines
            .slice(weeks)
            .flatMap(([week, ...cells]) => (week && WEEK.test(week) ? [[week, cells] as const] : [])),
    ),
    pages: pages.length,
    text: lines.flat().join('\n'),
  }
}
