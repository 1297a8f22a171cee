import express from 'express'
import type { Request, Response, Router } from 'express'
import { Failure } from '../../errors/failure.ts'
import type { Context } from '../../http/context.ts'
import { formField } from '../../http/form-field.ts'
import { pageHeaders } from '../../http/html-page.ts'
import { preferredLanguage } from '../../http/language.ts'
import { formReader } from '../../http/body/read-body.ts'
import { methodNotAllowed } from '../../errors/method-not-allowed.ts'
import type { CreateContext } from '../../http/request.ts'
import { newPasswordSchema } from '../password/passwords.ts'
import { renderResetPage } from './reset-page-html.ts'
import type { ResetPageState } from './reset-page-html.ts'
import {
  wasPasswordJustSet,
  findPhoneToVerifyForReset,
  RESET_PAGE,
  resetPassword,
  resetTokenState,
} from '../password/reset-token.ts'
import { sendCode } from '../phone/send-code.ts'

const statuses: Record<ResetPageState, number> = {
  live: 200,
  sent: 200,
  done: 200,
  length: 422,
  mismatch: 422,
  'code invalid': 422,
  'code expired': 422,
  'not sent': 503,
  failed: 503,
  used: 410,
  expired: 410,
  unknown: 404,
}

/**
 * The page that the link in a reset mail opens: a plain form that works without JavaScript. Opening it uses nothing up,
 * because mail scanners open links too.
 */
export function resetPage(createContext: CreateContext): Router {
  const page = express.Router()
  const show =
    (read: (request: Request) => unknown, judge: (ctx: Context, fields: Fields) => Promise<ResetPageState>) =>
    async (request: Request, response: Response) => {
      const fields = fieldsOf(read(request))
      if (request.facts) request.facts.operation = 'auth.resetPage'
      const ctx = createContext(request, response, 'rest')
      const state = await judge(ctx, fields).catch((error: unknown): ResetPageState => {
        if (!(error instanceof Failure))
          ctx.log.error({ err: error, request_id: ctx.request.id }, 'unhandled error')
        return 'failed'
      })
      const needsCode =
        (await findPhoneToVerifyForReset(ctx, fields.token).catch(() => undefined)) !== undefined
      const html = renderResetPage(preferredLanguage(request.headers), state, { ...fields, needsCode })
      response.status(statuses[state]).set(pageHeaders).send(html)
    }
  page.get(
    RESET_PAGE,
    show(
      ({ query }) => query,
      (ctx, { token }) => resetTokenState(ctx, token),
    ),
  )
  page.post(
    RESET_PAGE,
    formReader(10_000),
    show(({ body }) => body, choosePassword),
  )
  page.all(RESET_PAGE, methodNotAllowed('GET, HEAD, POST'))
  return page
}

async function choosePassword(
  ctx: Context,
  { token, password, repeated, validnum, isAsking }: Fields,
): Promise<ResetPageState> {
  const state = await resetTokenState(ctx, token)
  let outcome: Awaited<ReturnType<typeof resetPassword>> = 'token'
  if (state === 'live') {
    if (isAsking) return sendTo(ctx, await findPhoneToVerifyForReset(ctx, token))
    if (!newPasswordSchema.safeParse(password).success) return 'length'
    if (password !== repeated) return 'mismatch'
    outcome = await resetPassword(ctx, { token, password, validnum })
    if (outcome === 'done') return 'done'
  }
  // A second click sends the form again, and browsers show what comes last.
  if (await wasPasswordJustSet(ctx, token, password)) return 'done'
  return outcome === 'token' ? resetTokenState(ctx, token) : outcome
}

/** Sends the code to the account's phone, whose number the page does not show: the mail may have gone to a stranger. */
async function sendTo(ctx: Context, phone: string | undefined): Promise<ResetPageState> {
  if (phone === undefined) return 'live'
  try {
    await sendCode(ctx, phone, 'recovery')
    return 'sent'
  } catch (error) {
    if (error instanceof Failure) return 'not sent'
    throw error
  }
}

interface Fields {
  token: string
  password: string
  repeated: string
  /** The code of the SMS. */
  validnum: string
  /** Whether the button was pressed that sends the code. */
  isAsking: boolean
}

const fieldsOf = (values: unknown): Fields => ({
  token: formField(values, 'token'),
  password: formField(values, 'password'),
  repeated: formField(values, 'repeated'),
  validnum: formField(values, 'validnum').trim(),
  isAsking: formField(values, 'send') !== '',
})
