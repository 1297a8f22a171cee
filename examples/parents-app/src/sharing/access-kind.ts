const written = { 'calendar.saveEvent': 'note', 'surveys.submit': 'surveyed' } as const

const rooms = {
  calendar: 'days',
  charts: 'charts',
  children: 'details',
  devices: 'devices',
  basestations: 'devices',
  reports: 'reports',
  shares: 'details',
  surveys: 'surveys',
  treatments: 'nights',
} as const

export type AccessKind = (typeof written)[keyof typeof written] | (typeof rooms)[keyof typeof rooms] | 'other'

const isKey = <Table extends object>(table: Table, key: string): key is Extract<keyof Table, string> =>
  Object.hasOwn(table, key)

/** What an operation of the service is to a parent: `charts.recent` looks at charts. */
export function kindOf(operation: string): AccessKind {
  const [room = ''] = operation.split('.', 1)
  if (isKey(written, operation)) return written[operation]
  return isKey(rooms, room) ? rooms[room] : 'other'
}
