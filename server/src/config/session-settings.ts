/**
 * What the statements of the service rely on in a session, no matter what the server, the database or the role has been given.
 * The limits of time, which differ, are set beside these.
 */
export const databaseSessionSettings = {
  timezone: 'UTC',
  datestyle: 'ISO,MDY',
  intervalstyle: 'postgres',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  standard_conforming_strings: 'on',
  bytea_output: 'hex',
  extra_float_digits: '1',
  quote_all_identifiers: 'off',
  transform_null_equals: 'off',
  search_path: '"$user",public',
  lock_timeout: '0',
  idle_session_timeout: '0',
} as const

/** As PostgreSQL takes them when a session begins: `-c name=value`, with white space escaped. */
export const databaseSessionOptions = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\\s]/g, String.raw`\$&`)}`)
    .join(' ')

/** How long the open transaction of a process that vanished may hold its locks. */
const IDLE_MS = 60_000

/** The limits of time of a session, in milliseconds. Without limits those of the server do not count either. */
export const databaseTimeouts = (statementSeconds = 0) => ({
  statement_timeout: String(1000 * statementSeconds),
  idle_in_transaction_session_timeout: String(statementSeconds && IDLE_MS),
})

/** Those settings of the service that `options` would change. */
export function findOverriddenSettings(options: string): string[] {
  const own = new Set([
    ...Object.keys({ ...databaseSessionSettings, ...databaseTimeouts() }),
    'client_encoding',
  ])
  const named = [...options.matchAll(/(?:-c\s*|--)([\w.-]+)\s*=/g)].map(([, name = '']) =>
    name.toLowerCase().replaceAll('-', '_'),
  )
  return named.filter((name) => own.has(name))
}
