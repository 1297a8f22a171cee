/** What the app explains on a page of its own: the ends of a use by their `finish_flag`, what is measured, and a missing night. */
export const topics = ['1', '2', '3', '4', '5', '6', 'intensity', 'movement', 'missing'] as const

export type Topic = (typeof topics)[number]
