/** The cache keys of responses. A shorter key stands for all keys that start with it. */
export const keys = {
  account: ['account'],
  policy: ['policy'],
  children: ['children'],
  devices: ['devices'],
  basestations: ['basestations'],
  charts: ['charts'],
  calendar: ['calendar'],
  records: ['records'],
  surveys: ['surveys'],
  shares: ['shares'],
  grants: ['grants'],
  phoneCountries: ['phone-countries'],
  outbox: ['outbox'],
  changes: ['changes'],
  followed: ['followed'],
} as const
