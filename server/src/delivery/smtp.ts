import { createTransport } from 'nodemailer'
import type { MailSender } from './mail.ts'
import { DELIVERY_MS } from './patience.ts'

/** Creates a sender by SMTP; nodemailer parses `url`, such as `smtps://user:password@mail.example.com`. */
export function createSmtp({ url, from }: { url: string; from: string }): MailSender {
  const transport = createTransport({
    url,
    connectionTimeout: DELIVERY_MS,
    greetingTimeout: DELIVERY_MS,
    socketTimeout: DELIVERY_MS,
    dnsTimeout: DELIVERY_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async sendMail({ to, subject, text }) {
      const signal = AbortSignal.timeout(DELIVERY_MS)
      await transport
        // An address object, because a comma in a string would separate two receivers.
        .sendMail({ from, to: { name: '', address: to }, subject, text, signal })
        .catch((error: unknown) => {
          // The server's message may repeat the address, so only its code is kept.
          const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
          throw new Error(`Mail was not accepted: ${typeof code === 'string' ? code : 'unknown'}`)
        })
    },
  }
}
