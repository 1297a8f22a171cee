import type { Language } from './messages.ts'

/** The reason for an alert. */
export type AlertKind =
  | 'device_contact'
  | 'basestation_environment'
  | 'account_inactive'
  | 'bedtime'
  | 'missing_night'
  | 'access_ended'

/** An alert to be sent. It holds ids and no health data. */
export interface Alert {
  /** The same for every try, so that a receiver can recognize a repeated alert. */
  alert_id: string
  kind: AlertKind
  root_user_id: number
  real_user_id: number | null
  device_id: number | null
  basestation_id: number | null
  /** `yyyy-mm-dd`, of the night that it is about; absent of other kinds. */
  evening?: string
}

/** Where an alert goes: a push token, a phone number or an e-mail address. */
export interface Recipient {
  to: string
  language: Language
  /** The first name of the child whom the alert concerns, if the recipient wants to read it there. */
  childName?: string
}

/** `unreachable`: the address is no longer valid; `refused`: a retry of this alert would be refused again. */
export type AlertOutcome = 'sent' | 'unreachable' | 'refused' | 'no provider'

/** Delivers an alert to the provider until `signal` aborts. After any error it throws, the alert can be retried. */
export type AlertSender = (alert: Alert, recipient: Recipient, signal: AbortSignal) => Promise<AlertOutcome>

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
    bedtime: '잠자리에 들 시간입니다.',
    missing_night: '지난밤 기록이 아직 도착하지 않았습니다. 앱에서 확인할 점을 알려 드립니다.',
    access_ended: '계정을 확인해 주세요.',
  },
  en: {
    device_contact: 'Please have a look at the device.',
    basestation_environment: 'Please have a look at the room.',
    account_inactive: 'Please have a look at your account.',
    bedtime: 'It is bedtime.',
    missing_night: 'Nothing has arrived of the past night yet. The app says what to look at.',
    access_ended: 'Please have a look at your account.',
  },
}

/** Of the kinds that are about a child. */
const textsWithName: Record<Language, Partial<Record<AlertKind, (childName: string) => string>>> = {
  ko: {
    device_contact: (childName) => `${childName}의 기기를 확인해 주세요.`,
    bedtime: (childName) => `${childName}의 잠자리 시간입니다.`,
    missing_night: (childName) =>
      `${childName}의 지난밤 기록이 아직 도착하지 않았습니다. 앱에서 확인할 점을 알려 드립니다.`,
  },
  en: {
    device_contact: (childName) => `Please have a look at the device of ${childName}.`,
    bedtime: (childName) => `It is bedtime for ${childName}.`,
    missing_night: (childName) =>
      `Nothing has arrived of the past night of ${childName} yet. The app says what to look at.`,
  },
}

/**
 * The text on the phone's screen. It names no health data, because others may see the screen, and the child only for
 * recipients who want that.
 */
export const alertText = (
  kind: AlertKind,
  { language, childName }: Pick<Recipient, 'language' | 'childName'>,
): string =>
  (childName === undefined ? undefined : textsWithName[language][kind]?.(childName)) ?? texts[language][kind]
