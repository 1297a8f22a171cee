import { useLanguage } from '../i18n/language'
import { Field } from '../ui/field'
import type { FieldProps } from '../ui/field'

/** A field for the e-mail address of an account. */
export function EmailField({ label, ...props }: Omit<FieldProps, 'label'> & { label?: string }) {
  const { t } = useLanguage()
  return (
    <Field
      label={label ?? t.signIn.email}
      autoCapitalize="none"
      autoComplete="email"
      inputMode="email"
      {...props}
    />
  )
}
