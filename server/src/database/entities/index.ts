import { Device } from './device.ts'
import { RateLimit } from './rate-limit.ts'
import { RejectedDevlog } from './rejected-devlog.ts'
import { RealUser } from './real-user.ts'
import { RootUser } from './root-user.ts'
import { Session } from './session.ts'
import { SmsCode } from './sms-code.ts'
import { Treatment } from './treatment.ts'
import { UsedToken } from './used-token.ts'

export const entities = [
  RootUser,
  Session,
  SmsCode,
  UsedToken,
  RealUser,
  Device,
  Treatment,
  RejectedDevlog,
  RateLimit,
] as const
