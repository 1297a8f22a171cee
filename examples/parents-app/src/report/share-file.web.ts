import type { CompanionFile } from '@companion/sdk'

/** Browsers keep nothing that would have to be deleted. */
export function forgetShared(): void {}

/** Shares the file where browsers can, and downloads it where they cannot. */
export async function shareFile({ type, bytes }: CompanionFile, name: string, title: string): Promise<void> {
  const file = new File([bytes], name, { type })
  if (navigator.canShare?.({ files: [file] })) {
    // Closing the share sheet is no failure.
    await navigator.share({ files: [file], title }).catch(() => undefined)
    return
  }
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
