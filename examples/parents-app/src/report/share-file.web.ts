import type { CompanionFile } from '@companion/sdk'

/** Browsers keep no file that would have to be deleted. */
export function forgetShared(): void {}

/** Shares the file if the browser can, and downloads it otherwise. */
export async function shareFile({ type, bytes }: CompanionFile, name: string, title: string): Promise<void> {
  const file = new File([bytes], name, { type })
  if (navigator.canShare?.({ files: [file] })) {
    // Closing the share sheet is not a failure.
    await navigator.share({ files: [file], title }).catch(() => undefined)
    return
  }
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
