import { CameraView, useCameraPermissions } from 'expo-camera'
import { useState } from 'react'
import { Modal, StyleSheet, View } from 'react-native'
import { useSafeAreaInsets } from 'react-native-safe-area-context'
import { useLanguage } from '../i18n/language'
import { usePalette } from '../theme/use-palette'
import { Button } from '../ui/button'
import { Notice } from '../ui/notice'
import { Words } from '../ui/words'
import { readLabel } from './label-text'
import type { Label } from './label-text'

/** Reads the QR code of a label with the camera. */
export function ScanByCamera({ onRead }: { onRead: (label: Label) => void }) {
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
  const read = (text: string) => {
    const label = readLabel(text)
    setOther(!label)
    if (!label) return
    setOpen(false)
    onRead(label)
  }
  return (
    <>
      <Button kind="quiet" label={t.pairing.scan} onPress={() => void open()} />
      {permission && !permission.granted && !permission.canAskAgain ? (
        <Notice text={t.pairing.noCamera} />
      ) : null}
      {isOpen ? (
        <Modal animationType="slide" onRequestClose={() => setOpen(false)}>
          <View style={[styles.page, { backgroundColor: palette.ground, paddingTop: insets.top + 16 }]}>
            <Words>{t.pairing.scanHint}</Words>
            <CameraView
              style={styles.camera}
              barcodeScannerSettings={{ barcodeTypes: ['qr'] }}
              onBarcodeScanned={({ data }) => read(data)}
            />
            {isOther ? <Notice kind="danger" text={t.pairing.notALabel} /> : null}
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
