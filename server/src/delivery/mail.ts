export interface Mail {
  to: string
  subject: string
  text: string
  /** The link inside `text`, for senders that are watched by tests. */
  link: string
}

export interface MailSender {
  /** Hands the message over, or throws. */
  sendMail(mail: Mail): Promise<void>
}

declare module '../http/context.ts' {
  interface Context {
    mail: MailSender
  }
}
