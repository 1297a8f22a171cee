/** The keys that answers are cached under; a shorter key names all that start with it. */
export const keys = {
  account: ['account'],
  policy: ['policy'],
  children: ['children'],
  devices: ['devices'],
  basestations: ['basestations'],
  charts: ['charts'],
  calendar: ['calendar'],
  outbox: ['outbox'],
} as const
