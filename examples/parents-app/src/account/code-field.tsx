import { Field } from '../ui/field'
import type { FieldProps } from '../ui/field'

/** A code as it is printed on a device; an id has 36 small letters and digits, which are all to be seen. */
export const CodeField = ({ isId = false, ...props }: FieldProps & { isId?: boolean }) => (
  <Field
    autoCapitalize={isId ? 'none' : 'characters'}
    autoCorrect={false}
    autoComplete="off"
    isLong={isId}
    {...props}
  />
)
