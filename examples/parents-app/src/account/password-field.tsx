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
  return (
    <View>
      <Field autoCapitalize="none" autoCorrect={false} {...props} secureTextEntry={!isShown} />
      <Pressable
        accessibilityRole="button"
        accessibilityLabel={isShown ? t.password.hideOf(props.label) : t.password.showOf(props.label)}
        onPress={() => setShown(!isShown)}
        style={styles.toggle}
      >
        <Words kind="label" tone="accent">
          {isShown ? t.password.hide : t.password.show}
        </Words>
      </Pressable>
    </View>
  )
}

// Stays beside the label of the field at every text size.
const styles = StyleSheet.create({
  toggle: {
    position: 'absolute',
    top: -18,
    right: 0,
    minHeight: 44,
    minWidth: 44,
    alignItems: 'flex-end',
    paddingLeft: 16,
    paddingBottom: 6,
    justifyContent: 'flex-end',
  },
})
