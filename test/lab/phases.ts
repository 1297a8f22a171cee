import type { Answered } from './everyday.ts'

export type Phase = readonly [name: string, begun: number]

/** How often each response other than 200 came in each phase. */
export function failures(answered: readonly Answered[], phases: readonly Phase[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { kind, at, ms, outcome } of answered) {
    if (outcome === '200') continue
    const [phase] = phases.findLast(([, begun]) => begun <= at + ms) ?? []
    const failure = `${phase}: ${kind} ${outcome}`
    counts[failure] = (counts[failure] ?? 0) + 1
  }
  return counts
}

/** Per phase and call: how many, p50, p99, the longest, all in milliseconds, and the longest time without an upload. */
export function figures(answered: readonly Answered[], phases: readonly Phase[]): string {
  const lines: string[] = []
  for (const [n, [name, begun]] of phases.entries()) {
    const ended = phases[n + 1]?.[1] ?? Infinity
    const mine = answered.filter(({ at, ms }) => at + ms >= begun && at + ms < ended)
    for (const kind of new Set(mine.map((each) => each.kind))) {
      const times = mine
        .filter((each) => each.kind === kind)
        .map(({ ms }) => ms)
        .toSorted((one, other) => one - other)
      const at = (share: number) => Math.round(times[Math.floor(times.length * share)] ?? 0)
      lines.push(
        [name, kind, times.length, at(0.5), at(0.99), Math.round(times.at(-1) ?? 0)]
          .map((cell) => String(cell).padEnd(12))
          .join(' '),
      )
    }
    const stored = mine.filter(({ kind, outcome }) => kind === 'upload' && outcome === '200')
    const moments = stored.map(({ at, ms }) => at + ms).toSorted((one, other) => one - other)
    const gaps = moments.map((moment, m) => moment - (moments[m - 1] ?? moment))
    lines.push(`${name.padEnd(12)} longest time without an upload: ${Math.round(Math.max(0, ...gaps))} ms`)
  }
  return lines.join('\n')
}
