import { router } from '../http/endpoint.ts'
import { refresh } from './refresh.ts'
import { sendSmsCode } from './send-sms-code.ts'
import { signIn } from './sign-in.ts'
import { signUp } from './sign-up.ts'
import { verifyPhone } from './verify-phone.ts'

export const auth = router({ sendSmsCode, verifyPhone, signUp, signIn, refresh })
