type Element = ReturnType<PDFKit.PDFDocument['struct']>

/** Begins and ends the mark of a text, from within the drawing of it. */
export interface TagMark {
  begin: () => void
  end: () => void
}

declare global {
  namespace PDFKit.Mixins {
    interface TextOptions extends Partial<TagMark> {}
  }
}

/** A part of a line. */
export interface TaggedContent {
  draw: (mark?: TagMark) => void
  /** What is copied in place of the glyphs. */
  actual?: string | undefined
}

/** An open tag of the document's structure, to which contents are added in the order of reading. */
export interface Tag {
  add: (draw: () => void) => void
  /** Adds a line that a screen reader reads out as `text`. */
  addSpan: (text: string, contents: readonly TaggedContent[]) => void
  /** Ends the content in progress, as the end of a page or of the tag demands. */
  endContent: () => void
}

/**
 * The contents of `element`. A line that is copied as another text than that of its glyphs has an element of its own, and
 * each part of it a content: some readers lose what follows a mark within a content.
 */
export function tagFor(doc: PDFKit.PDFDocument, kind: string, element: Element): Tag {
  let content: ReturnType<PDFKit.PDFDocument['markStructureContent']> | undefined
  const endContent = () => {
    if (!content) return
    doc.endMarkedContent()
    element.add(content)
    content = undefined
  }
  return {
    add(draw) {
      content ??= doc.markStructureContent(kind)
      draw()
    },
    addSpan(text, contents) {
      endContent()
      const span = doc.struct('Span', { actual: text })
      element.add(span)
      const parts = tagFor(doc, 'Span', span)
      for (const { draw, actual } of contents) {
        if (actual === undefined) {
          parts.add(draw)
          continue
        }
        parts.endContent()
        draw({
          begin: () => void span.add(doc.markStructureContent('Span', { actual })),
          end: () => void doc.endMarkedContent(),
        })
      }
      parts.endContent()
      span.end()
    },
    endContent,
  }
}

/** What stands outside the structure, such as the head of a page. */
export const artifactTag = (doc: PDFKit.PDFDocument): Tag => ({
  add: (draw) => draw(),
  addSpan(_text, contents) {
    for (const { draw, actual } of contents) {
      if (actual === undefined) draw()
      else {
        draw({
          begin: () => void doc.markContent('Span', { actual }),
          end: () => void doc.endMarkedContent(),
        })
      }
    }
  },
  endContent: () => undefined,
})
