import { AccountActivity } from './account-activity.ts'
import { AccessGrantChild } from './access-grant-child.ts'
import { AccessGrant } from './access-grant.ts'
import { Alert } from './alert.ts'
import { BasestationConnection } from './basestation-connection.ts'
import { Basestation } from './basestation.ts'
import { Change } from './change.ts'
import { ChainBlock } from './chain-block.ts'
import { ChainHead } from './chain-head.ts'
import { Client } from './client.ts'
import { Consent } from './consent.ts'
import { DataKey } from './data-key.ts'
import { DevlogDeletion } from './devlog-deletion.ts'
import { DevlogShift } from './devlog-shift.ts'
import { DeviceHistory } from './device-history.ts'
import { Device } from './device.ts'
import { Encryption } from './encryption.ts'
import { EventVersion } from './event-version.ts'
import { Event } from './event.ts'
import { Feed } from './feed.ts'
import { Invitation } from './invitation.ts'
import { Membership } from './membership.ts'
import { OauthState } from './oauth-state.ts'
import { Policy } from './policy.ts'
import { PushToken } from './push-token.ts'
import { RateLimit } from './rate-limit.ts'
import { RejectedDevlog } from './rejected-devlog.ts'
import { ReadingDay, ReadingHorizon } from './reading-day.ts'
import { RealUser } from './real-user.ts'
import { RootUser } from './root-user.ts'
import { Session } from './session.ts'
import { SleepReading } from './sleep-reading.ts'
import { SentCode } from './sent-code.ts'
import { ShiftedDevlog } from './shifted-devlog.ts'
import { SmsCode } from './sms-code.ts'
import { SmsCountry } from './sms-country.ts'
import { StrangerStreak } from './stranger-streak.ts'
import { Survey } from './survey.ts'
import { TrailRepeat } from './trail-repeat.ts'
import { TrailUpload } from './trail-upload.ts'
import { Trail } from './trail.ts'
import { Treatment } from './treatment.ts'
import { KnownAddress } from './known-address.ts'
import { ResetToken } from './reset-token.ts'
import { SecurityRecord } from './security-record.ts'
import { SocialIdentity } from './social-identity.ts'
import { UsedToken } from './used-token.ts'
import { Webhook } from './webhook.ts'

export const entities = [
  RootUser,
  AccountActivity,
  Consent,
  Policy,
  PushToken,
  Session,
  SmsCode,
  SentCode,
  SmsCountry,
  StrangerStreak,
  UsedToken,
  RealUser,
  Invitation,
  Membership,
  Change,
  Feed,
  Encryption,
  DataKey,
  Webhook,
  Client,
  AccessGrant,
  AccessGrantChild,
  OauthState,
  Device,
  DeviceHistory,
  Treatment,
  RejectedDevlog,
  DevlogDeletion,
  DevlogShift,
  ShiftedDevlog,
  Basestation,
  BasestationConnection,
  SleepReading,
  ReadingDay,
  ReadingHorizon,
  Survey,
  Event,
  EventVersion,
  KnownAddress,
  ResetToken,
  SecurityRecord,
  Trail,
  TrailRepeat,
  TrailUpload,
  ChainBlock,
  ChainHead,
  SocialIdentity,
  Alert,
  RateLimit,
] as const
