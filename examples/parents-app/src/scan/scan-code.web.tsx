import { ScanByCamera } from './scan-by-camera'
import type { ScanProps } from './scan-by-camera'

/**
 * Browsers that read QR codes by themselves, as those of Android and macOS do, offer the camera. Others would fetch a
 * reader from a server of somebody else; there, codes are typed, or the text of the QR code is pasted.
 */
export const ScanCode = <Found,>(props: ScanProps<Found>) =>
  'BarcodeDetector' in globalThis ? <ScanByCamera {...props} /> : null
