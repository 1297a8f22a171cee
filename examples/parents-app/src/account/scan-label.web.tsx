import type { ComponentType } from 'react'
import type { Label } from './label-text'
import { ScanByCamera } from './scan-by-camera'

/**
 * Browsers that read QR codes by themselves, as those of Android and macOS do, offer the camera. Others would fetch a
 * reader from a server of somebody else; there, the codes are typed, or the label's text is pasted.
 */
export const ScanLabel: ComponentType<{ onRead: (label: Label) => void }> =
  'BarcodeDetector' in globalThis ? ScanByCamera : () => null
