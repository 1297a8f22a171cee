/** The characters of a code; those that look like others are left out. */
const CODE = /^[2-9A-HJKMNP-TV-Z]{12}$/

/** A code in its three groups, however it was typed; undefined if it is none. */
export function normalizeClinicCode(text: string): string | undefined {
  const code = text.replaceAll(/[\s\p{Pd}]/gu, '').toUpperCase()
  return CODE.test(code) ? code.replaceAll(/.{4}(?=.)/g, '$&-') : undefined
}
