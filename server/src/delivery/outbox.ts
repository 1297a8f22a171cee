import { appendFile, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { alertText } from './alert.ts'
import type { AlertSender } from './alert.ts'
import type { MailSender } from './mail.ts'
import type { SmsSender } from './sms.ts'

/**
 * Creates senders for development and tests that append every message to `file`, one JSON object per line, and send
 * nothing. Only the file's owner can read it, because it holds valid codes.
 */
export function createFileOutbox(
  file: string,
): SmsSender & MailSender & { alertsBy: (channel: string) => AlertSender } {
  const append = async (message: object) => {
    await mkdir(dirname(file), { recursive: true })
    const line = JSON.stringify({ ...message, sent_at: new Date().toISOString() })
    // A single short write with O_APPEND keeps the lines of several processes apart.
    await appendFile(file, `${line}\n`, { mode: 0o600 })
  }
  return {
    sendSms: ({ to, text, code }) => append({ channel: 'sms', to, text, code }),
    sendMail: ({ to, subject, text, link }) => append({ channel: 'email', to, subject, text, link }),
    alertsBy: (channel) => async (alert, recipient) => {
      await append({ channel, to: recipient.to, ...alert, text: alertText(alert.kind, recipient) })
      return 'sent'
    },
  }
}
