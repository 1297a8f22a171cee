import { useState } from 'react'
import { Pressable, StyleSheet, View } from 'react-native'
import { useLanguage } from '../i18n/language'
import { Field } from '../ui/field'
import type { FieldProps } from '../ui/field'
import { Words } from '../ui/words'

/** A field for an existing password. */
export const PasswordField = (props: FieldProps) => <SecretField autoComplete="current-password" {...props} />

/** A field for a new password. */
export function NewPasswordField(props: FieldProps) {
  const { t } = useLanguage()
  return <SecretField autoComplete="new-password" hint={t.signUp.passwordHint} {...props} />
}

/** Hides the password until the user asks to see it. */
function SecretField(props: FieldProps) {
  const { t } = useLanguage()
  const [isShown, setShown] = useState(false)
  const [width, setWidth] = useState(0)
  return (
    <View>
      <Field
        autoCapitalize="none"
        autoCorrect={false}
        labelEnd={width}
        {...props}
        secureTextEntry={!isShown}
      />
      <Pressable
        accessibilityRole="button"
        accessibilityLabel={isShown ? t.password.hideOf(props.label) : t.password.showOf(props.label)}
        onPress={() => setShown(!isShown)}
        onLayout={({ nativeEvent }) => setWidth(nativeEvent.layout.width)}
        style={styles.toggle}
      >
        <Words kind="label" tone="accent">
          {isShown ? t.password.hide : t.password.show}
        </Words>
      </Pressable>
    </View>
  )
}

// Stays beside the first line of the label at every text size.
const styles = StyleSheet.create({
  toggle: {
    position: 'absolute',
    top: -18,
    right: 0,
    minHeight: 44,
    minWidth: 44,
    alignItems: 'flex-end',
    paddingLeft: 16,
    paddingTop: 18,
  },
})
