import { useLanguage } from '../i18n/language'
import { Field } from '../ui/field'
import type { FieldProps } from '../ui/field'

/** A password that there is already. */
export const PasswordField = (props: FieldProps) => (
  <Field autoComplete="current-password" secureTextEntry {...props} />
)

/** A password that is being chosen. */
export function NewPasswordField(props: FieldProps) {
  const { t } = useLanguage()
  return <Field autoComplete="new-password" secureTextEntry hint={t.signUp.passwordHint} {...props} />
}
