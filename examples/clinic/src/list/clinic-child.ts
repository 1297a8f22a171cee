import type { ListChildrenInput, Outputs } from '@companion/sdk'

/** A page of the list of a clinic. */
export type ChildPage = Outputs['clinics']['listChildren']

/** A child in that list. Figures that end in `_28` are about the 28 evenings up to yesterday's. */
export type ClinicChild = ChildPage['items'][number]

export type Flag = ClinicChild['flags'][number]
export type Sort = NonNullable<ListChildrenInput['sort']>

export const allFlags = [
  'no_upload',
  'below_plan',
  'falling',
  'contact_loss',
  'clock',
] as const satisfies Flag[]
export const sorts = ['flags', 'last_night', 'name', 'since'] as const satisfies Sort[]
