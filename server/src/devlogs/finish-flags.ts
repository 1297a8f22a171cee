/** The meanings of `finish_flag` (contract, "States and transitions"). */
export const FINISH_FLAG_MEANINGS = {
  1: 'Normal shutdown',
  2: 'Button shutdown',
  3: 'App shutdown',
  4: 'Faulty contacts shutdown',
  5: 'VBUS shutdown',
  6: 'Factory shutdown',
} as const

/** The one that parents are alerted to. */
export const CONTACT_LOSS = 4
