import { sql as raw } from 'kysely'
import { errors } from 'oidc-provider'
import pLimit from 'p-limit'
import { lockAccount } from '../../auth/account-lock.ts'
import { notifyAccountHolder } from '../../auth/notice.ts'
import { recordSecurityEvent } from '../../auth/security-record.ts'
import { lockChild } from '../../children/child-lock.ts'
import { storeGrant } from '../../grants/grant.ts'
import type { Context } from '../../http/context.ts'
import { contextScopes, dataScopesOf, scopesOf } from '../../http/scope-names.ts'
import type { ContextScope } from '../../http/scope-names.ts'
import type { Scope } from '../../http/scope.ts'
import { storeStepResult, lockUnansweredStep } from '../step.ts'
import type { Interaction } from '../step.ts'
import { isPeriod, grantPeriodDays, renderConsent, SCOPES_CHOSEN } from './html.ts'
import type { ConsentIssue, GrantPeriod } from './html.ts'
import { formFieldValues, redirectToNextStep, sendConsentPage, readAuthorizationParameter } from './page.ts'
import type { AuthorizationStep } from './page.ts'

const DAY_MS = 86_400_000

/** Consents for one child wait for each other. Most connections to the database must stay free for other requests. */
const inTurn = pLimit(2)

/** The parent who is signed in here, and their own children. */
async function readFamily({ ctx, provider, request, response, interaction }: AuthorizationStep) {
  const session = await provider.Session.get(provider.createContext(request, response))
  // In another tab, somebody may have signed in again.
  if (session.uid !== interaction.session?.uid) throw new errors.SessionNotFound('session ended')
  const rootUserId = Number(interaction.session?.accountId)
  const { sql, keyRing } = ctx.database
  const account = await sql
    .selectFrom('root_user')
    .select(['email', 'language', 'national_code', 'token_epoch'])
    .where('id', '=', rootUserId)
    .where(raw<boolean>`is_active_account(root_user)`)
    .executeTakeFirst()
  if (!account || String(account.token_epoch) !== interaction.session.acr)
    throw new errors.SessionNotFound('session ended')
  const children = await sql
    .selectFrom('real_user')
    .select(['id', 'first_name'])
    .where('root_user_id', '=', rootUserId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute()
  return {
    rootUserId,
    account: { ...account, email: keyRing.decrypt('root_user.email', account.email) },
    children: children.map(({ id, first_name }) => ({
      id,
      first_name: keyRing.decrypt('real_user.first_name', first_name),
    })),
  }
}

/** What is asked for, and known here. */
const scopesIn = (interaction: Interaction): Scope[] => scopesOf(namesIn(interaction))

const namesIn = (interaction: Interaction) => readAuthorizationParameter(interaction, 'scope').split(' ')

const contextIn = (interaction: Interaction): ContextScope[] => {
  const asked = new Set(namesIn(interaction))
  return contextScopes.filter((name) => asked.has(name))
}

/** Whether the service asks for one child, which the parent chooses. */
const isForOne = (interaction: Interaction) => contextIn(interaction).includes('launch/patient')

/**
 * What of it the parent allows. A page of which nothing can be refused, or that an older version of the service made, has no
 * boxes for it.
 */
function allowedScopes({
  interaction,
  request,
}: Pick<AuthorizationStep, 'interaction' | 'request'>): Scope[] {
  const asked = scopesIn(interaction)
  if (formFieldValues(request.body, SCOPES_CHOSEN).length === 0) return asked
  const allowed = new Set(formFieldValues(request.body, 'scope'))
  return asked.filter((scope) => allowed.has(scope))
}

/** Puts on the trail that a parent has seen their children's names here, or has let a service in. */
function noteConsent(
  ctx: Context,
  rootUserId: number,
  { children, isChange }: { children: readonly number[]; isChange: boolean },
): void {
  const actor = { kind: 'account', id: rootUserId } as const
  for (const realUserId of children)
    ctx.trail.note(ctx, { actor, operation: 'oauth.consentPage', realUserId, outcome: 'ok', isChange })
}

export async function showConsent(
  step: AuthorizationStep,
  status: number,
  issue?: ConsentIssue,
): Promise<void> {
  const { ctx, request, interaction, client: asking } = step
  const { rootUserId, account, children } = await readFamily(step)
  noteConsent(ctx, rootUserId, { children: children.map(({ id }) => id), isChange: false })
  const isAgain = request.method === 'POST'
  const [only] = children.length === 1 ? children : []
  const chosen = new Set(isAgain ? formFieldValues(request.body, 'child').map(Number) : only ? [only.id] : [])
  const question = {
    asking,
    scopes: scopesIn(interaction),
    context: contextIn(interaction),
    allowed: new Set(allowedScopes(step)),
    children,
    email: account.email ?? '',
    chosen,
    period: periodIn(request.body),
    issue,
  }
  sendConsentPage(step, status, renderConsent(step.language, question))
}

function periodIn(body: unknown): GrantPeriod {
  const [text = ''] = formFieldValues(body, 'period')
  return isPeriod(text) ? text : 'month'
}

export async function allow(step: AuthorizationStep): Promise<void> {
  const { ctx, request, interaction, client } = step
  const { rootUserId, account, children } = await readFamily(step)
  const wanted = new Set(formFieldValues(request.body, 'child').map(Number))
  const chosen = children.map(({ id }) => id).filter((id) => wanted.has(id))
  if (chosen.length === 0 || chosen.length < wanted.size) return showConsent(step, 422, 'children')
  if (chosen.length > 1 && isForOne(interaction)) return showConsent(step, 422, 'one child')
  const allowed = allowedScopes(step)
  if (dataScopesOf(allowed).length === 0) return showConsent(step, 422, 'scopes')
  const days = grantPeriodDays[periodIn(request.body)]
  const expiresAt = days === null ? null : new Date(Date.now() + days * DAY_MS)
  const grantId = await inTurn(() =>
    ctx.database.transaction(async (sql) => {
      if (!(await lockUnansweredStep(sql, interaction.uid))) return 'answered'
      if (!(await lockAccount(sql, rootUserId))) return undefined
      for (const child of chosen)
        if ((await lockChild(sql, child, 'update'))?.root_user_id !== rootUserId) return undefined
      const id = await storeGrant(sql, {
        rootUserId,
        clientId: client.client_id,
        scopes: allowed,
        children: chosen,
        expiresAt,
      })
      const reason = `client ${client.id}, grant ${id}, children ${chosen.join(', ')}`
      if (id === undefined) return undefined
      await recordSecurityEvent(sql, ctx, { action: 'grant_start', rootUserId, reason })
      await storeStepResult(sql, interaction, { consent: { grantId: String(id) } })
      return id
    }),
  )
  // A child or the service has gone at this moment; the page says what is left.
  if (grantId === undefined) return showConsent(step, 422, 'failed')
  if (grantId !== 'answered') {
    noteConsent(ctx, rootUserId, { children: chosen, isChange: true })
    await notifyAccountHolder(ctx, { kind: 'grant_added', name: client.name }, account)
  }
  redirectToNextStep(step)
}

/** Tells the service that the parent does not allow it. */
export async function decline(step: AuthorizationStep): Promise<void> {
  await storeStepResult(step.ctx.database.sql, step.interaction, {
    error: 'access_denied',
    error_description: 'The parent has declined',
  })
  redirectToNextStep(step)
}
