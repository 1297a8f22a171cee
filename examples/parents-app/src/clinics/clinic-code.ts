/** The characters of codes, none of which looks like another. */
const CODE = /^[2-9A-HJKMNP-TV-Z]{12}$/

/** A code in three groups, as typed, or within the text of its QR code. Capitals, dashes and spaces do not matter. */
export function readClinicCode(text: string): string | undefined {
  const typed = /^companion:\/\/clinic\/?\?code=([^&#\s]*)$/i.exec(text.trim())?.[1] ?? text
  const code = typed.replace(/[\s\p{Pd}]/gu, '').toUpperCase()
  return CODE.test(code) ? code.replace(/.{4}(?=.)/g, '$&-') : undefined
}

/** The code in a link that opens the app; undefined if the link is for something else. */
export const clinicCodeFromLink = (link: string): string | undefined =>
  /^companion:/i.test(link) ? readClinicCode(link) : undefined
