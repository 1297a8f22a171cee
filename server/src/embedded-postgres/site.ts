/** The paths in the directory of an embedded PostgreSQL, and the way to run it. */
export interface PostgresPaths {
  directory: string
  data: string
  passwordFile: string
  logFile: string
  settings: Record<string, string>
  log: (line: string) => void
  /** Takes what somebody should read who wonders why nothing happens. */
  warn: (line: string) => void
}

/** The role that owns everything, and its database. */
export const ROLE_AND_DATABASE_NAME = 'companion'
