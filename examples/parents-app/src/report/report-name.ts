import type { ReportInput } from '@companion/sdk'

type Period = Pick<ReportInput, 'start_date' | 'end_date'>

/** A file name that tells one child's report from another's; letters of every language stay, what a path or URL means something by goes. */
export function reportName(child: string, { start_date, end_date }: Period): string {
  const letters = child.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
  const name = Array.from(letters)
    .slice(0, 40)
    .join('')
    .replace(/^-+|-+$/g, '')
  return `${[name, start_date, end_date].filter(Boolean).join('_')}.pdf`
}
