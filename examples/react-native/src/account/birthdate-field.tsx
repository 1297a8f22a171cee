import { useLanguage } from '../i18n/language'
import { Field } from '../ui/field'
import type { FieldProps } from '../ui/field'

/** A birth date as eight digits, with or without hyphens. */
export function BirthdateField(props: Omit<FieldProps, 'label'>) {
  const { t } = useLanguage()
  return <Field label={t.signUp.birthdate} inputMode="numeric" hint={t.signUp.birthdateHint} {...props} />
}
