import type { ComponentType } from 'react'
import type { Label } from './label-text'

/** Browsers read no QR codes by themselves. There, the codes are typed, or the label's text is pasted. */
export const ScanLabel: ComponentType<{ onRead: (label: Label) => void }> = () => null
