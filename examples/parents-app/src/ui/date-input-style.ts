/** The box of a date field, which looks like that of a text field. */
export const dateInputStyle = {
  width: '100%',
  minHeight: 50,
  borderWidth: 1.5,
  borderRadius: 12,
  paddingHorizontal: 14,
  paddingVertical: 12,
  fontSize: 16,
} as const
