import type { Language } from './messages.ts'

/** Why a parent is alerted. */
export type AlertKind = 'device_contact' | 'basestation_environment'

/** One alert on its way: ids and an address, nothing about anybody's health. */
export interface Alert {
  /** The same for every try, so that whoever receives it twice can tell. */
  alert_id: string
  kind: AlertKind
  root_user_id: number
  real_user_id: number | null
  device_id: number | null
  basestation_id: number | null
}

/** Where an alert goes: a push token or a phone number. */
export interface Recipient {
  to: string
  language: Language
}

/** `unreachable`: nobody is at this address any more; `refused`: the same alert would be refused again. */
export type Outcome = 'sent' | 'unreachable' | 'refused' | 'no provider'

/** Hands an alert over within the time of `signal`; whatever it throws is worth another try. */
export type AlertSender = (alert: Alert, recipient: Recipient, signal: AbortSignal) => Promise<Outcome>

/** Thrown by a sender that was told when to try again. */
export class TryLater extends Error {
  override name = 'TryLater'
  readonly seconds: number

  constructor(message: string, retryAfter: string | null) {
    super(message)
    this.seconds = Math.min(Number(retryAfter) || 0, 3600)
  }
}

/** What a phone shows: that something is to be looked at, for anyone may read over a parent's shoulder. */
export const alertText: Record<Language, Record<AlertKind, string>> = {
  ko: {
    device_contact: '기기를 확인해 주세요.',
    basestation_environment: '아이 방을 확인해 주세요.',
  },
  en: {
    device_contact: 'Please have a look at the device.',
    basestation_environment: 'Please have a look at the room.',
  },
}
