import { StyleSheet, View } from 'react-native'
import { useLanguage } from '../i18n/language'
import { usePalette } from '../theme/use-palette'
import { Icon } from './icon'
import { Words } from './words'

/** Name and logo of the app, at the top of the first screen. */
export function Brand() {
  const { t } = useLanguage()
  const palette = usePalette()
  return (
    <View style={styles.brand}>
      <View style={[styles.sign, { backgroundColor: palette.soft }]}>
        <Icon name="today" color={palette.accent} size={30} />
      </View>
      <Words kind="display" maxFontSizeMultiplier={1.2}>
        {t.appName}
      </Words>
      <Words tone="muted">{t.tagline}</Words>
    </View>
  )
}

const styles = StyleSheet.create({
  brand: { gap: 6, paddingTop: 36, paddingBottom: 12 },
  sign: {
    width: 60,
    height: 60,
    borderRadius: 18,
    alignItems: 'center',
    justifyContent: 'center',
    marginBottom: 12,
  },
})
