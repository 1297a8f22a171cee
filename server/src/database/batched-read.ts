import type { QueryResultRow } from 'pg'
import { isErrorOfSomeBatchedCallers } from './sql-errors.ts'
import type { ExecuteStatement, NamedStatement } from './statement.ts'

interface Asked<Row> {
  values: unknown[]
  resolve: (rows: Row[] | Promise<Row[]>) => void
  reject: (error: unknown) => void
}

interface Numbered {
  /** Which of those who asked the row is for, from 1. */
  asked: number
}

/** All of them wait until the last is found. More were no faster in the benchmark. */
const MOST_TOGETHER = 8

/**
 * A statement that reads little and waits for no lock. The callers of one turn of the event loop share one execution
 * of it: to begin a small statement costs more than to run it. `types` are the PostgreSQL types of its parameters.
 */
export function batchedRead<Row extends QueryResultRow>(
  name: string,
  types: readonly [string, ...string[]],
  text: string,
): NamedStatement<Row> {
  const nameOfMany = `${name}-together`
  const many = textOfMany(types, text)
  const waiting = new WeakMap<ExecuteStatement, Asked<Row>[]>()

  const answerAlone = (run: ExecuteStatement, { values, resolve }: Asked<Row>) =>
    resolve(run<Row>({ name, text, values }))

  const answerTogether = async (run: ExecuteStatement, asked: readonly Asked<Row>[]) => {
    const values = types.map((_, n) => asked.map((each) => each.values[n]))
    const responses = asked.map((): Row[] => [])
    try {
      for (const row of await run<Row & Numbered>({ name: nameOfMany, text: many, values })) {
        responses[row.asked - 1]?.push(row)
      }
      for (const [n, { resolve }] of asked.entries()) resolve(responses[n] ?? [])
    } catch (error) {
      if (isErrorOfSomeBatchedCallers(error)) for (const each of asked) answerAlone(run, each)
      else for (const { reject } of asked) reject(error)
    }
  }

  const answer = (run: ExecuteStatement) => {
    const asked = waiting.get(run) ?? []
    waiting.delete(run)
    if (asked.length > 1) void answerTogether(run, asked)
    else for (const each of asked) answerAlone(run, each)
  }

  return {
    name,
    text,
    ask: (run, values) =>
      new Promise((resolve, reject) => {
        const asked = waiting.get(run) ?? []
        if (asked.length === 0) {
          waiting.set(run, asked)
          setImmediate(answer, run)
        }
        asked.push({ values, resolve, reject })
        if (asked.length === MOST_TOGETHER) answer(run)
      }),
  }
}

/**
 * `text` for each of many callers, its parameters as arrays: `asked` counts the callers from 1. The sub-selects hide the
 * length of the arrays from the planner, so that one plan serves all; OFFSET 0 keeps it from any other than a loop.
 */
function textOfMany(types: readonly string[], text: string): string {
  const arrays = types.map((type, n) => `(SELECT $${n + 1}::${type}[])`).join(', ')
  const columns = types.map((_, n) => `p${n + 1}`).join(', ')
  return `SELECT asked.n::int AS asked, answer.*
   FROM unnest(${arrays}) WITH ORDINALITY asked (${columns}, n)
   CROSS JOIN LATERAL (${text.replaceAll(/\$(\d+)/g, 'asked.p$1')} OFFSET 0) answer`
}
