/** Whether this looks like an e-mail address. Whether it is one, only the service and a mail can tell. */
export const isEmail = (typed: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(typed.trim())
