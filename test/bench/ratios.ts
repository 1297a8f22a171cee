import { median } from './measure.ts'
import type { Candidate, Measured } from './measure.ts'

/** The head of the table whose rows `printRatios` prints. */
export function printHead(): void {
  console.log(
    '| workload | | requests/s | ratio | CPU µs | ratio | PostgreSQL µs | ratio | p50 ms | p95 ms | p99 ms | errors |',
  )
  console.log('|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|')
}

/** A row for each candidate: medians of its rounds, and of the ratios to the first one in the same round. */
export function printRatios(
  workload: string,
  candidates: readonly Candidate[],
  measured: readonly Measured[][],
): void {
  const [reference = []] = measured
  for (const [n, rounds] of measured.entries()) {
    const of = (key: keyof Measured) => median(rounds.map((round) => round[key]))
    const ratio = (compare: (round: Measured, reference: Measured) => number) =>
      median(rounds.flatMap((round, at) => (reference[at] ? [compare(round, reference[at])] : []))).toFixed(2)
    const figures = [
      of('rate').toFixed(0),
      ratio((round, other) => round.rate / other.rate),
      of('cpu').toFixed(1),
      ratio((round, other) => other.cpu / round.cpu),
      of('database').toFixed(1),
      ratio((round, other) => other.database / round.database),
      of('p50').toFixed(2),
      of('p95').toFixed(2),
      of('p99').toFixed(2),
      of('errors'),
    ]
    console.log(`| ${[workload, candidates[n]?.name, ...figures].join(' | ')} |`)
  }
}
