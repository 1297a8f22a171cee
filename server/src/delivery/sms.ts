export interface Sms {
  /** E.164. */
  to: string
  text: string
  /** The code inside `text`, for senders that are watched by tests. */
  code: string
}

export interface SmsSender {
  /** Hands the message over, or throws. */
  sendSms(sms: Sms): Promise<void>
}

declare module '../http/context.ts' {
  interface Context {
    sms: SmsSender
  }
}
