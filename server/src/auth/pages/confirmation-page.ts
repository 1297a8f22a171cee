import express from 'express'
import type { Request, Response, Router } from 'express'
import { Failure } from '../../errors/failure.ts'
import { methodNotAllowed } from '../../errors/method-not-allowed.ts'
import type { Context } from '../../http/context.ts'
import { formField } from '../../http/form-field.ts'
import { pageHeaders } from '../../http/html-page.ts'
import { preferredLanguage } from '../../http/language.ts'
import { formReader } from '../../http/body/read-body.ts'
import type { CreateContext } from '../../http/request.ts'
import { renderConfirmationPage } from './confirmation-page-html.ts'
import type { ConfirmationPageState } from './confirmation-page-html.ts'
import {
  applyEmailConfirmation,
  CONFIRMATION_PAGE,
  confirmationPurpose,
  wasAnsweredWithinMinute,
} from '../email-address/email-confirmation.ts'

const statuses: Record<ConfirmationPageState, number> = {
  current: 200,
  change: 200,
  confirmed: 200,
  rejected: 200,
  taken: 409,
  unknown: 410,
  failed: 503,
}

/**
 * The page that the link of a confirmation mail opens: a question with two buttons, which works without JavaScript. Opening it
 * proves nothing, because mail scanners open links too.
 */
export function confirmationPage(createContext: CreateContext): Router {
  const page = express.Router()
  const show =
    (
      read: (request: Request) => unknown,
      judge: (ctx: Context, token: string, fields: unknown) => Promise<ConfirmationPageState>,
    ) =>
    async (request: Request, response: Response) => {
      const fields = read(request)
      const token = formField(fields, 'token')
      if (request.facts) request.facts.operation = 'auth.confirmationPage'
      const ctx = createContext(request, response, 'rest')
      const state = await judge(ctx, token, fields).catch((error: unknown) => stateOf(ctx, error))
      const html = renderConfirmationPage(preferredLanguage(request.headers), state, token)
      response.status(statuses[state]).set(pageHeaders).send(html)
    }
  page.get(
    CONFIRMATION_PAGE,
    show(
      ({ query }) => query,
      async (ctx, token) => (await confirmationPurpose(ctx, token)) ?? 'unknown',
    ),
  )
  page.post(
    CONFIRMATION_PAGE,
    formReader(10_000),
    show(
      ({ body }) => body,
      async (ctx, token, fields) => {
        const choice = formField(fields, 'is_mine')
        // A form without a choice asks again.
        if (choice !== 'true' && choice !== 'false')
          return (await confirmationPurpose(ctx, token)) ?? 'unknown'
        const isMine = choice === 'true'
        await applyEmailConfirmation(ctx, token, isMine).catch(async (error: unknown) => {
          // A second click sends the form again, and browsers show what comes last.
          if (!(await wasAnsweredWithinMinute(ctx, token, isMine))) throw error
        })
        return isMine ? 'confirmed' : 'rejected'
      },
    ),
  )
  page.all(CONFIRMATION_PAGE, methodNotAllowed('GET, HEAD, POST'))
  return page
}

function stateOf(ctx: Context, error: unknown): ConfirmationPageState {
  if (error instanceof Failure && error.status === 400) return 'unknown'
  if (error instanceof Failure && error.status === 409) return 'taken'
  if (!(error instanceof Failure))
    ctx.log.error({ err: error, request_id: ctx.request.id }, 'unhandled error')
  return 'failed'
}
