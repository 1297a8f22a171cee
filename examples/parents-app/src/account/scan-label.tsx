import { useLanguage } from '../i18n/language'
import { ScanCode } from '../scan/scan-code'
import { readLabel } from './label-text'
import type { ScannedLabel } from './label-text'

/** Reads the QR code of a label. */
export function ScanLabel({ onRead }: { onRead: (label: ScannedLabel) => void }) {
  const { t } = useLanguage()
  const { scan, scanHint, notALabel } = t.pairing
  return <ScanCode label={scan} hint={scanHint} other={notALabel} read={readLabel} onRead={onRead} />
}
