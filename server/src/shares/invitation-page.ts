import express from 'express'
import type { Request, Router } from 'express'
import { methodNotAllowed } from '../errors/method-not-allowed.ts'
import type { Context } from '../http/context.ts'
import { pageHeaders } from '../http/html-page.ts'
import { preferredLanguage } from '../http/language.ts'
import type { CreateContext } from '../http/request.ts'
import { today } from '../time/wall-clock.ts'
import { INVITATION_PAGE, findOpenInvitation } from './invitation.ts'
import { renderInvitation, renderNoInvitation } from './invitation-page-html.ts'

/**
 * The page that the link of an invitation opens. It says what is offered and how to accept in the app. Opening it uses
 * nothing up, because mail scanners open links too.
 */
export function invitationPage(createContext: CreateContext): Router {
  const page = express.Router()
  page.get(INVITATION_PAGE, async (request, response) => {
    if (request.facts) request.facts.operation = 'shares.invitationPage'
    const [status, html] = await responseOf(createContext(request, response, 'rest'), request)
    response.status(status).set(pageHeaders).send(html)
  })
  page.all(INVITATION_PAGE, methodNotAllowed('GET, HEAD'))
  return page
}

async function responseOf(
  ctx: Context,
  { query, headers }: Request,
): Promise<[status: number, html: string]> {
  const token = typeof query['token'] === 'string' ? query['token'] : ''
  const language = preferredLanguage(headers)
  try {
    const { sql, keyRing } = ctx.database
    const offered = await findOpenInvitation(sql, token, today(ctx.timeZone))
    // It shows the child's name.
    if (offered)
      ctx.trail.note(ctx, {
        actor: { kind: 'invitation', id: offered.id },
        operation: 'shares.invitationPage',
        realUserId: offered.real_user_id,
        outcome: 'ok',
        isChange: false,
      })
    return offered
      ? [
          200,
          renderInvitation(language, token, {
            ...offered,
            child: keyRing.decrypt('real_user.first_name', offered.child),
            owner: keyRing.decrypt('root_user.first_name', offered.owner),
          }),
        ]
      : [410, renderNoInvitation(language, 'gone')]
  } catch (error) {
    ctx.log.error({ err: error, request_id: ctx.request.id }, 'unhandled error')
    return [503, renderNoInvitation(language, 'failed')]
  }
}
