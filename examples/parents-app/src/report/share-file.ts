import type { CompanionFile } from '@companion/sdk'
import { Directory, File, Paths } from 'expo-file-system'
import { shareAsync } from 'expo-sharing'
import { Platform } from 'react-native'

const shared = () => new Directory(Paths.cache, 'shared')

/** Deletes the shared files. If deleting fails, the next call tries again. */
export function forgetShared(): void {
  try {
    const directory = shared()
    if (directory.exists) directory.delete()
  } catch {}
}

/** Opens the phone's share sheet, to print the file, save it or send it to the clinic. */
export async function shareFile(
  { type, bytes }: CompanionFile,
  name: string,
  dialogTitle: string,
): Promise<void> {
  forgetShared()
  const directory = shared()
  directory.create({ idempotent: true, intermediates: true })
  const file = new File(directory, name)
  file.create({ overwrite: true })
  file.write(new Uint8Array(bytes))
  try {
    await shareAsync(file.uri, {
      mimeType: type,
      UTI: identifierOf(type),
      dialogTitle,
    })
  } finally {
    // On Android the other app may still be reading; there the file is deleted at the next start or sign-out.
    if (Platform.OS === 'ios') forgetShared()
  }
}

/** Apple's name of a media type. */
const identifierOf = (type: string) =>
  type.endsWith('/pdf')
    ? 'com.adobe.pdf'
    : type.endsWith('/zip')
      ? 'public.zip-archive'
      : 'org.openxmlformats.spreadsheetml.sheet'
