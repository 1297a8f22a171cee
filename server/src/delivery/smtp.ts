import { createTransport } from 'nodemailer'
import SMTPTransport from 'nodemailer/lib/smtp-transport'
import type { MailSender } from './mail.ts'
import { DELIVERY_TIMEOUT_MS } from './timeout.ts'

/** How the mail server is reached; nodemailer parses `url`, such as `smtps://user:password@mail.example.com`. */
export const smtpTransport = (url: string) =>
  new SMTPTransport({
    url,
    connectionTimeout: DELIVERY_TIMEOUT_MS,
    greetingTimeout: DELIVERY_TIMEOUT_MS,
    socketTimeout: DELIVERY_TIMEOUT_MS,
    dnsTimeout: DELIVERY_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })

/** Creates a sender by SMTP. */
export function createSmtp({ url, from }: { url: string; from: string }): MailSender {
  const transport = createTransport(smtpTransport(url))
  return {
    async sendMail({ to, subject, text }) {
      const signal = AbortSignal.timeout(DELIVERY_TIMEOUT_MS)
      await transport
        // An address object, because a comma in a string would separate two receivers.
        .sendMail({
          from,
          to: { name: '', address: to },
          subject,
          text,
          signal,
          // So that out-of-office replies do not come back (RFC 3834, 5).
          headers: { 'Auto-Submitted': 'auto-generated' },
        })
        .catch((error: unknown) => {
          // The server's message may repeat the address, so only the codes are kept: its own, such as 550, and the library's.
          const codes =
            error instanceof Error ? ['responseCode', 'code'].map((name) => Reflect.get(error, name)) : []
          throw new Error(`Mail was not accepted: ${codes.filter(Boolean).join(' ') || 'unknown'}`)
        })
    },
  }
}
