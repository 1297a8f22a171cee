import { Field } from '../ui/field'
import type { FieldProps } from '../ui/field'

/** A field for a code printed on a device. An id has 36 characters, and all of them stay visible. */
export const DeviceCodeField = ({ isId = false, ...props }: FieldProps & { isId?: boolean }) => (
  <Field
    autoCapitalize={isId ? 'none' : 'characters'}
    autoCorrect={false}
    autoComplete="off"
    isLong={isId}
    {...props}
  />
)
