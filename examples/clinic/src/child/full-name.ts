interface Name {
  first_name: string
  last_name: string
}

/** Joins the names as the service does in its reports; a Korean family name comes first. */
export const fullName = ({ first_name, last_name }: Name): string =>
  /^\p{Script=Hangul}+$/u.test(last_name)
    ? `${last_name}${first_name}`
    : [first_name, last_name].filter(Boolean).join(' ')
