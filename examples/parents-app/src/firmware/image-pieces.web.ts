import type { ImagePieces } from './load-image'

const pieces = new Map<string, Uint8Array>()

/** Pieces of images in memory, until the page is closed: a browser reaches no device. */
export const imagePieces: ImagePieces = {
  read: async (name) => pieces.get(name),
  save: async (name, bytes) => pieces.set(name, bytes),
  forget: async () => pieces.clear(),
}
