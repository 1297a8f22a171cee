import type { CompanionFile } from '@companion/sdk'
import { File, Paths } from 'expo-file-system'
import { shareAsync } from 'expo-sharing'

/** Hands a file to the phone's share sheet: to print it, save it or send it to the clinic. */
export async function shareFile({ name, type, bytes }: CompanionFile, dialogTitle: string): Promise<void> {
  const file = new File(Paths.cache, name)
  file.create({ overwrite: true })
  file.write(new Uint8Array(bytes))
  await shareAsync(file.uri, { mimeType: type, UTI: 'com.adobe.pdf', dialogTitle })
}
