const written = {
  'calendar.saveEvent': 'note',
  'clinics.planNights': 'planned',
  'plans.set': 'planned',
  'plans.remove': 'planned',
  'surveys.submit': 'surveyed',
} as const

const rooms = {
  calendar: 'days',
  charts: 'charts',
  children: 'details',
  clinics: 'listed',
  devices: 'devices',
  nights: 'nights',
  plans: 'plan',
  basestations: 'devices',
  firmware: 'devices',
  reports: 'reports',
  shares: 'details',
  surveys: 'surveys',
  treatments: 'nights',
} as const

export type ActivityKind =
  | (typeof written)[keyof typeof written]
  | (typeof rooms)[keyof typeof rooms]
  | 'other'

const isKey = <Table extends object>(table: Table, key: string): key is Extract<keyof Table, string> =>
  Object.hasOwn(table, key)

interface Access {
  at: string
  name: string
  operation: string
  times: number
}

/** What somebody did within an hour, by kind: several operations of the service are the same to a parent. */
export function byKind(accesses: readonly Access[]): (Omit<Access, 'operation'> & { kind: ActivityKind })[] {
  const found = new Map<string, Omit<Access, 'operation'> & { kind: ActivityKind }>()
  for (const { at, name, operation, times } of accesses) {
    const kind = kindOf(operation)
    const key = JSON.stringify([at, name, kind])
    found.set(key, { at, name, kind, times: times + (found.get(key)?.times ?? 0) })
  }
  return [...found.values()]
}

/** What an operation of the service is to a parent: `charts.recent` looks at charts. */
export function kindOf(operation: string): ActivityKind {
  const [room = ''] = operation.split('.', 1)
  if (isKey(written, operation)) return written[operation]
  return isKey(rooms, room) ? rooms[room] : 'other'
}
