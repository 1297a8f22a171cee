import { Directory, File, Paths } from 'expo-file-system'
import type { ImagePieces } from './load-image'

const folder = () => new Directory(Paths.cache, 'firmware')

/** Pieces of images as files, which the phone may delete when it needs the room. */
export const imagePieces: ImagePieces = {
  read: async (name) => {
    const file = new File(folder(), name)
    return file.exists ? file.bytes() : undefined
  },
  save: async (name, bytes) => {
    const directory = folder()
    directory.create({ idempotent: true, intermediates: true })
    const file = new File(directory, name)
    file.create({ overwrite: true })
    file.write(bytes)
  },
  forget: async () => {
    const directory = folder()
    if (directory.exists) directory.delete()
  },
}
