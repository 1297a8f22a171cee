import express from 'express'
import type { Request, Response, Router } from 'express'
import { Failure } from '../errors/failure.ts'
import type { Context } from '../http/context.ts'
import { pageHeaders } from '../http/html-page.ts'
import { preferredLanguage } from '../http/language.ts'
import { methodNotAllowed } from '../errors/method-not-allowed.ts'
import type { CreateContext } from '../http/request.ts'
import { newPassword } from './passwords.ts'
import { renderResetPage } from './reset-page-html.ts'
import type { ResetPageState } from './reset-page-html.ts'
import { RESET_PAGE, resetPassword, resetTokenState } from './reset-token.ts'

const statuses: Record<ResetPageState, number> = {
  live: 200,
  done: 200,
  length: 422,
  mismatch: 422,
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
          ctx.log.error({ err: error, request_id: ctx.request.id }, 'unforeseen')
        return 'failed'
      })
      const html = renderResetPage(preferredLanguage(request.headers), state, fields.token)
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
    express.urlencoded({ extended: false, limit: 10_000 }),
    show(({ body }) => body, choosePassword),
  )
  page.all(RESET_PAGE, methodNotAllowed('GET, HEAD, POST'))
  return page
}

async function choosePassword(ctx: Context, { token, password, repeated }: Fields): Promise<ResetPageState> {
  const state = await resetTokenState(ctx, token)
  if (state !== 'live') return state
  if (!newPassword.safeParse(password).success) return 'length'
  if (password !== repeated) return 'mismatch'
  return (await resetPassword(ctx, token, password)) ? 'done' : resetTokenState(ctx, token)
}

interface Fields {
  token: string
  password: string
  repeated: string
}

function fieldsOf(values: unknown): Fields {
  const field = (name: keyof Fields) => {
    const value: unknown =
      typeof values === 'object' && values !== null ? Reflect.get(values, name) : undefined
    return typeof value === 'string' ? value : ''
  }
  return { token: field('token'), password: field('password'), repeated: field('repeated') }
}
