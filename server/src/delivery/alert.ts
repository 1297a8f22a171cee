import type { Language } from './messages.ts'

/** The reason for an alert. */
export type AlertKind = 'device_contact' | 'basestation_environment' | 'account_inactive' | 'access_ended'

/** An alert to be sent. It holds ids and no health data. */
export interface Alert {
  /** The same for every try, so that a receiver can recognize a repeated alert. */
  alert_id: string
  kind: AlertKind
  root_user_id: number
  real_user_id: number | null
  device_id: number | null
  basestation_id: number | null
}

/** Where an alert goes: a push token, a phone number or an e-mail address. */
export interface Recipient {
  to: string
  language: Language
  /** The first name of the child whom the alert concerns, if the recipient wants to read it there. */
  childName?: string
}

/** `unreachable`: the address is no longer valid; `refused`: a retry of this alert would be refused again. */
export type Outcome = 'sent' | 'unreachable' | 'refused' | 'no provider'

/** Delivers an alert to the provider until `signal` aborts. After any error it throws, the alert can be retried. */
export type AlertSender = (alert: Alert, recipient: Recipient, signal: AbortSignal) => Promise<Outcome>

/** Thrown by a sender whose provider said when to try again. */
export class TryLater extends Error {
  override name = 'TryLater'
  readonly seconds: number

  constructor(message: string, retryAfter: string | null) {
    super(message)
    this.seconds = Math.min(Number(retryAfter) || 0, 3600)
  }
}

const texts: Record<Language, Record<AlertKind, string>> = {
  ko: {
    device_contact: '기기를 확인해 주세요.',
    basestation_environment: '아이 방을 확인해 주세요.',
    account_inactive: '계정을 확인해 주세요.',
    access_ended: '계정을 확인해 주세요.',
  },
  en: {
    device_contact: 'Please have a look at the device.',
    basestation_environment: 'Please have a look at the room.',
    account_inactive: 'Please have a look at your account.',
    access_ended: 'Please have a look at your account.',
  },
}

const textsWithName: Record<Language, (childName: string) => string> = {
  ko: (childName) => `${childName}의 기기를 확인해 주세요.`,
  en: (childName) => `Please have a look at the device of ${childName}.`,
}

/**
 * The text on the phone's screen. It names no health data, because others may see the screen, and the child only for
 * recipients who want that.
 */
export const alertText = (
  kind: AlertKind,
  { language, childName }: Pick<Recipient, 'language' | 'childName'>,
): string =>
  kind === 'device_contact' && childName !== undefined
    ? textsWithName[language](childName)
    : texts[language][kind]
