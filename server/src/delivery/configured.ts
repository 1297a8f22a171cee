import type { Config } from '../config/config.ts'
import type { AlertSender } from './alert.ts'
import { createAlimTalk } from './alim-talk.ts'
import { createFcm } from './fcm.ts'
import type { MailSender } from './mail.ts'
import { createFileOutbox } from './outbox.ts'
import { accessEndedMail, inactiveMail } from './messages.ts'
import type { SmsSender } from './sms.ts'
import type { AlertSenders } from './send-alerts.ts'
import { createSmsWebhook } from './sms-webhook.ts'
import { createSmtp } from './smtp.ts'
import { createTwilio } from './twilio.ts'

/** Creates the SMS and mail senders that the configuration names. */
export function createSenders({ smsProvider, smtp, outboxFile }: Config): {
  sms: SmsSender
  mail: MailSender
} {
  const outbox = createFileOutbox(outboxFile)
  return {
    sms:
      smsProvider.name === 'twilio'
        ? createTwilio(smsProvider)
        : smsProvider.name === 'webhook'
          ? createSmsWebhook(smsProvider)
          : outbox,
    mail: smtp ? createSmtp(smtp) : outbox,
  }
}

const byMail =
  (mail: MailSender): AlertSender =>
  async ({ kind }, { to, language }) => {
    await mail.sendMail({ to, ...(kind === 'access_ended' ? accessEndedMail : inactiveMail)(language) })
    return 'sent'
  }

const closed: AlertSender = async () => 'no provider'

/**
 * Creates the alert senders. A channel without a provider is closed in production and the outbox file in development.
 */
export function createAlertSenders(config: Config): AlertSenders {
  const { fcm, alimTalkUrl: url, alimTalkSecret: secret, outboxFile, production } = config
  const instead = (channel: string) => (production ? closed : createFileOutbox(outboxFile).alertsBy(channel))
  return {
    push: fcm ? createFcm(fcm) : instead('push'),
    alim_talk: url === undefined ? instead('alim_talk') : createAlimTalk({ url, secret }),
    mail: byMail(createSenders(config).mail),
  }
}
