import { useNavigation } from '@react-navigation/native'
import { StyleSheet, View } from 'react-native'
import { useLanguage } from '../i18n/language'
import { IconButton } from '../ui/icon-button'

/** A back button for the web, where the platform has none. */
export function BackButton() {
  const { t } = useLanguage()
  const navigation = useNavigation()
  return (
    <View style={styles.place}>
      <IconButton icon="back" label={t.back} onPress={() => navigation.goBack()} />
    </View>
  )
}

const styles = StyleSheet.create({ place: { marginLeft: 14, marginRight: 4 } })
