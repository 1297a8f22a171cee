/** Whether it can be an address at all; whether it is one, the service and a mail will tell. */
export const isEmail = (typed: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(typed.trim())
