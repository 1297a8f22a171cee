import type { ReportInput } from '@companion/sdk'

type Period = Pick<ReportInput, 'start_date' | 'end_date'>

/**
 * A file name that tells the children's reports apart. It keeps the letters of every language, and no character with a
 * meaning in a path or URL.
 */
export function reportName(child: string, { start_date, end_date }: Period): string {
  const letters = child.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
  const name = Array.from(letters)
    .slice(0, 40)
    .join('')
    .replace(/^-+|-+$/g, '')
  return `${[name, start_date, end_date].filter(Boolean).join('_')}.pdf`
}
