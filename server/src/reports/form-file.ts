/** A page of this service sends one. */
const MOST_PARTS = 10
const MOST_HEADER_BYTES = 2000

/**
 * The file of the field `name` of a form (RFC 7578), found by its boundary alone. A parser of whole forms takes seconds for
 * one of 100,000 small files.
 */
export function extractFormFile(form: Buffer, type: string, name: string): Buffer | undefined {
  const [, quoted, plain] =
    /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s";]{1,70}))/i.exec(type) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) return undefined
  let at = form.indexOf(`--${boundary}\r\n`)
  for (let part = 0; part < MOST_PARTS && at !== -1; part += 1) {
    const head = at + boundary.length + 4
    const content = form.indexOf('\r\n\r\n', head)
    if (content === -1 || content - head > MOST_HEADER_BYTES) return undefined
    // A file without a byte ends with the line that ends its headers.
    const end = form.indexOf(`\r\n--${boundary}`, content + 2)
    if (end === -1) return undefined
    if (isFileOf(form.toString('latin1', head, content), name)) return form.subarray(content + 4, end)
    at = end + 2
    if (form.toString('latin1', at + boundary.length + 2, at + boundary.length + 4) !== '\r\n')
      return undefined
  }
  return undefined
}

const isFileOf = (head: string, name: string) =>
  head.split('\r\n').some((line) => {
    const [disposition = '', ...parameters] = line.split(';').map((each) => each.trim())
    const isNamed = parameters.some((each) => each === `name="${name}"` || each === `name=${name}`)
    return (
      /^content-disposition:\s*form-data$/i.test(disposition) &&
      isNamed &&
      parameters.some((each) => each.startsWith('filename'))
    )
  })
