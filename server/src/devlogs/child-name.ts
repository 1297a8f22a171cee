interface Name {
  first_name: string
  last_name: string
}

const isKorean = ({ last_name }: Name) => /^\p{Script=Hangul}+$/u.test(last_name)

/** Joins the names; a Korean family name comes first. */
export const fullName = (name: Name): string =>
  isKorean(name)
    ? `${name.last_name}${name.first_name}`
    : [name.first_name, name.last_name].filter(Boolean).join(' ')

const characters = new Intl.Segmenter('ko', { granularity: 'grapheme' })

/** The initials, `M. K.`, or `김 지` of a Korean name. */
export function initials(name: Name): string {
  const { first_name, last_name } = name
  const ordered = isKorean(name) ? [last_name, first_name] : [first_name, last_name]
  const letters = ordered.flatMap(
    (each) => Array.from(characters.segment(each.trim()), ({ segment }) => segment)[0] ?? [],
  )
  return letters.map((letter) => (isKorean(name) ? letter : `${letter}.`)).join(' ')
}
