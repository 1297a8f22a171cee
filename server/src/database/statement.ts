import type { QueryResultRow } from 'pg'

export interface Execution {
  name: string
  text: string
  values: unknown[]
}

/** Executes SQL somewhere and answers its rows. */
export type Run = <Row extends QueryResultRow>(execution: Execution) => Promise<Row[]>

/** SQL that is prepared once on each connection: planning costs more than running it on the hot paths. */
export interface Statement<Row extends QueryResultRow> {
  readonly name: string
  readonly text: string
  ask(run: Run, values: unknown[]): Promise<Row[]>
}

/** Runs a statement; resolves to its rows. */
export type Query = <Row extends QueryResultRow>(
  statement: Statement<Row>,
  values: unknown[],
) => Promise<Row[]>

export const statement = <Row extends QueryResultRow>(name: string, text: string): Statement<Row> => ({
  name,
  text,
  ask: (run, values) => run({ name, text, values }),
})
