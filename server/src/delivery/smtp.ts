import { createTransport } from 'nodemailer'
import type { MailSender } from './mail.ts'
import { DELIVERY_MS } from './patience.ts'

/** Mail by an SMTP server; `url` as nodemailer reads it, such as `smtps://user:password@mail.example.com`. */
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
        // As an object, because in a text a comma would separate two receivers.
        .sendMail({ from, to: { name: '', address: to }, subject, text, signal })
        .catch((error: unknown) => {
          // What the server said may repeat the address; its code says enough.
          const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
          throw new Error(`Mail was not accepted: ${typeof code === 'string' ? code : 'unknown'}`)
        })
    },
  }
}
