import { appendFile, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { AlertSender } from './alert.ts'
import type { MailSender } from './mail.ts'
import type { SmsSender } from './sms.ts'

/**
 * Sends nothing: appends every message to a file, one JSON object a line, for development and tests. The file is
 * readable by its owner only, because it holds live codes.
 */
export function createOutbox(
  file: string,
): SmsSender & MailSender & { alertsBy: (channel: string) => AlertSender } {
  const append = async (message: object) => {
    await mkdir(dirname(file), { recursive: true })
    const line = JSON.stringify({ ...message, sent_at: new Date().toISOString() })
    // One write of a short line with O_APPEND: lines of several processes do not mix.
    await appendFile(file, `${line}\n`, { mode: 0o600 })
  }
  return {
    sendSms: ({ to, text, code }) => append({ channel: 'sms', to, text, code }),
    sendMail: ({ to, subject, text, link }) => append({ channel: 'email', to, subject, text, link }),
    alertsBy:
      (channel) =>
      async (alert, { to }) => {
        await append({ channel, to, ...alert })
        return 'sent'
      },
  }
}
