export interface Sms {
  /** The receiver's phone number, E.164. */
  to: string
  text: string
  /** The code inside `text`, if there is one, for gateways with their own text and for the outbox file, where tests read it. */
  code?: string
}

export interface SmsSender {
  /** Resolves once the provider has accepted the message; throws otherwise. */
  sendSms(sms: Sms): Promise<void>
}

declare module '../http/context.ts' {
  interface Context {
    sms: SmsSender
  }
}
