import type { QueryResultRow } from 'pg'

export interface StatementExecution {
  name: string
  text: string
  values: unknown[]
}

/** Executes SQL somewhere and answers its rows. */
export type ExecuteStatement = <Row extends QueryResultRow>(execution: StatementExecution) => Promise<Row[]>

/** SQL that is prepared once on each connection: planning costs more than running it on the hot paths. */
export interface NamedStatement<Row extends QueryResultRow> {
  readonly name: string
  readonly text: string
  ask(run: ExecuteStatement, values: unknown[]): Promise<Row[]>
}

/** Runs a statement; resolves to its rows. */
export type RunNamedStatement = <Row extends QueryResultRow>(
  statement: NamedStatement<Row>,
  values: unknown[],
) => Promise<Row[]>

export const statement = <Row extends QueryResultRow>(name: string, text: string): NamedStatement<Row> => ({
  name,
  text,
  ask: (run, values) => run({ name, text, values }),
})

/** A statement that stores the records of devices for several callers at once. */
export interface SharedStatementDefinition<Call, Result> {
  run: (query: RunNamedStatement, calls: readonly Call[]) => Promise<Result>
  /** The unique ids of the devices of a call. */
  devicesOf: (call: Call) => readonly string[]
  done: (calls: readonly Call[], result: Result) => void
  /** `isWhole` when the next calls would meet the error too. */
  failed: (calls: readonly Call[], error: unknown, isWhole: boolean) => void
}

/** Runs a shared statement. Calls that need a node which is lost do not go with the others, nor hold them up. */
export interface SharedStatementRunner<Call, Result> {
  /** Runs the statement for all of `calls` that can be run together; the others are taken out of `calls`. */
  begin: (calls: Call[]) => Promise<Result | undefined>
  /** Tells `done` or `failed` how it ended; those that had to go apart are told by themselves. */
  settle: (calls: readonly Call[], begun: Promise<Result | undefined>) => Promise<void>
}
