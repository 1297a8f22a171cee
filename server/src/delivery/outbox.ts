import { appendFile, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { SmsSender } from './sms.ts'

/**
 * Sends nothing: appends every message to a file, one JSON object a line, for development and tests. The file is
 * readable by its owner only, because it holds live codes.
 */
export function createOutbox(file: string): SmsSender {
  return {
    async sendSms({ to, text, code }) {
      await mkdir(dirname(file), { recursive: true })
      const line = JSON.stringify({ channel: 'sms', to, text, code, sent_at: new Date().toISOString() })
      // One write of a short line with O_APPEND: lines of several processes do not mix.
      await appendFile(file, `${line}\n`, { mode: 0o600 })
    },
  }
}
