export interface Mail {
  to: string
  subject: string
  text: string
  /** The link inside `text`, if there is one, for the outbox file, where tests read it. */
  link?: string
}

export interface MailSender {
  /** Resolves once the provider has accepted the message; throws otherwise. */
  sendMail(mail: Mail): Promise<void>
}

declare module '../http/context.ts' {
  interface Context {
    mail: MailSender
  }
}
