/** Whether the service accepts this password: 8 to 128 characters of any kind, counted as code points. */
export function isPassword(typed: string): boolean {
  const { length } = Array.from(typed)
  return length >= 8 && length <= 128
}
