import { CameraView, useCameraPermissions } from 'expo-camera'
import { useState } from 'react'
import { Modal, StyleSheet, View } from 'react-native'
import { useSafeAreaInsets } from 'react-native-safe-area-context'
import { useLanguage } from '../i18n/language'
import { usePalette } from '../theme/use-palette'
import { Button } from '../ui/button'
import { Notice } from '../ui/notice'
import { Words } from '../ui/words'

export interface ScanProps<Found> {
  /** The button that opens the camera. */
  label: string
  hint: string
  /** Said of a QR code of which nothing could be read. */
  other: string
  /** What a QR code says; undefined if it is for something else. */
  read: (text: string) => Found | undefined
  onRead: (found: Found) => void
}

/** Reads a QR code with the camera. */
export function ScanByCamera<Found>({ label, hint, other, read, onRead }: ScanProps<Found>) {
  const { t } = useLanguage()
  const palette = usePalette()
  const insets = useSafeAreaInsets()
  const [permission, ask] = useCameraPermissions()
  const [isOpen, setOpen] = useState(false)
  const [isOther, setOther] = useState(false)
  const open = async () => {
    setOther(false)
    const { granted } = permission?.granted ? permission : await ask()
    setOpen(granted)
  }
  const scanned = (text: string) => {
    const found = read(text)
    setOther(found === undefined)
    if (found === undefined) return
    setOpen(false)
    onRead(found)
  }
  return (
    <>
      <Button kind="quiet" label={label} onPress={() => void open()} />
      {permission && !permission.granted && !permission.canAskAgain ? (
        <Notice text={t.scan.noCamera} />
      ) : null}
      {isOpen ? (
        <Modal animationType="slide" onRequestClose={() => setOpen(false)}>
          <View style={[styles.page, { backgroundColor: palette.ground, paddingTop: insets.top + 16 }]}>
            <Words>{hint}</Words>
            <CameraView
              style={styles.camera}
              barcodeScannerSettings={{ barcodeTypes: ['qr'] }}
              onBarcodeScanned={({ data }) => scanned(data)}
            />
            {isOther ? <Notice kind="danger" text={other} /> : null}
            <View style={{ paddingBottom: insets.bottom }}>
              <Button kind="quiet" label={t.cancel} onPress={() => setOpen(false)} />
            </View>
          </View>
        </Modal>
      ) : null}
    </>
  )
}

const styles = StyleSheet.create({
  page: { flex: 1, padding: 20, gap: 16 },
  camera: { flex: 1, borderRadius: 16, overflow: 'hidden' },
})
