import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'

export interface ReadPdf {
  title: string
  /** The title in the XML metadata. */
  metadata: string
  language: string
  isTagged: boolean
  /** The titles of the outline, from which a reader goes to a section. */
  outline: string[]
  /** Pages, each with its lines from top to bottom, each with its texts from left to right. */
  pages: string[][][]
}

/** Reads a PDF as a reader program does: all its pages, or the first. */
export async function readPdf(bytes: Uint8Array, mostPages = Infinity): Promise<ReadPdf> {
  const task = getDocument({ data: bytes.slice(), useSystemFonts: false, verbosity: 0 })
  const document = await task.promise
  const outline = ((await document.getOutline()) ?? []).map((item) => item.title)
  const { info, metadata } = await document.getMetadata()
  const structure = await document.getPage(1).then((page) => page.getStructTree())
  const pages = await Promise.all(
    Array.from({ length: Math.min(document.numPages, mostPages) }, async (_, index) => {
      const page = await document.getPage(index + 1)
      const { items } = await page.getTextContent()
      const lines = new Map<number, { x: number; text: string }[]>()
      for (const item of items) {
        if (!('str' in item) || item.str.trim() === '') continue
        const [, , , , x, y] = item.transform
        const key = Math.round(y * 10)
        lines.set(key, [...(lines.get(key) ?? []), { x, text: item.str.trimEnd() }])
      }
      return [...lines]
        .toSorted(([one], [other]) => other - one)
        .map(([, texts]) => texts.toSorted((one, other) => one.x - other.x).map(({ text }) => text))
    }),
  )
  const { Title, Language } = info as { Title?: string; Language?: string | null }
  await task.destroy()
  return {
    title: Title ?? '',
    metadata: String(metadata?.get('dc:title') ?? ''),
    language: Language ?? '',
    outline,
    isTagged: (structure?.children.length ?? 0) > 0,
    pages,
  }
}
