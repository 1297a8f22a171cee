import express from 'express'
import type { Request, Response, Router } from 'express'
import { errors } from 'oidc-provider'
import type { Provider } from 'oidc-provider'
import { lockAccount } from '../auth/account-lock.ts'
import { letIn } from '../auth/admission.ts'
import { accountOf } from '../auth/identity-account.ts'
import type { Attempt, Returned } from '../auth/social-provider.ts'
import { countGuess } from '../auth/count-failures.ts'
import { tellHolder } from '../auth/notice.ts'
import { provePassword } from '../auth/prove-password.ts'
import { record, recordRefusal } from '../auth/security-record.ts'
import { Failure } from '../errors/failure.ts'
import { methodNotAllowed } from '../errors/method-not-allowed.ts'
import type { Context } from '../http/context.ts'
import { contentPolicy, pageHeaders } from '../http/html-page.ts'
import { preferredLanguage } from '../http/language.ts'
import { targetOf } from '../http/request.ts'
import type { CreateContext } from '../http/request.ts'
import { scopes } from '../http/scope.ts'
import type { Scope } from '../http/scope.ts'
import { lockChild } from '../children/child-lock.ts'
import { findClient } from './client.ts'
import type { Client } from './client.ts'
import {
  isPeriod,
  isSignInFault,
  periods,
  renderConsent,
  renderRefusal,
  renderSignIn,
} from './consent-page-html.ts'
import type { ConsentFault, Period, SignInFault } from './consent-page-html.ts'
import { keepGrant } from '../grants/grant.ts'
import { INTERACTION } from './oauth-provider.ts'
import { endProviderSession } from './oauth-adapter.ts'
import { attemptOf, isStateOf, SOCIAL_RETURN, stepIn } from './social-attempt.ts'

const DAY_MS = 86_400_000

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/** One step of an authorization, as a browser is in it. */
interface Step {
  ctx: Context
  provider: Provider
  request: Request
  response: Response
  interaction: Interaction
  client: Client
}

/**
 * The pages between a service that asks and its answer: sign-in, which leaves the account's session alone, and consent. Both
 * are plain forms that work without JavaScript. The cookie of the step belongs to its address, so that no other page can send
 * a form for it.
 */
export function consentPage(
  createContext: CreateContext,
  providerFor: (request: Request) => Provider,
): Router {
  const page = express.Router()
  const path = `${INTERACTION}:uid`
  const answer =
    (act: (step: Step) => Promise<void>) =>
    async (request: Request, response: Response): Promise<void> => {
      const ctx = createContext(request, response, 'rest')
      const provider = providerFor(request)
      const language = preferredLanguage(request.headers)
      try {
        const interaction = await provider.interactionDetails(request, response)
        const { prompt, uid } = interaction
        if (request.facts) request.facts.operation = `connections.${prompt.name}Page`
        const client = await findClient(ctx.database, textIn(interaction, 'client_id'))
        const isOurs = uid === request.params['uid'] && isFromHere(request, provider.issuer)
        if (!client || client.blocked_at || !isOurs) throw new errors.SessionNotFound('not this browser')
        await act({ ctx, provider, request, response, interaction, client })
      } catch (error) {
        const isGone = error instanceof errors.SessionNotFound
        if (!isGone) ctx.log.error({ err: error, request_id: ctx.request.id }, 'unforeseen')
        response
          .status(isGone ? 400 : 503)
          .set(pageHeaders)
          .send(renderRefusal(language, isGone ? undefined : { error: 'server_error' }))
      }
    }
  page.get(path, answer(show))
  page.get(`${path}/with/:provider`, answer(leaveForProvider))
  page.get(`${path}/from/:provider`, answer(returnFromProvider))
  page.get(SOCIAL_RETURN, (request, response) => {
    if (request.facts) request.facts.operation = 'connections.socialReturn'
    const { query } = targetOf(request)
    const step = stepIn(new URLSearchParams(query).get('state') ?? '')
    // Back to where the cookie of the step belongs.
    if (step)
      return response.redirect(
        303,
        `${providerFor(request).issuer}${INTERACTION}${step.uid}/from/${step.provider}?${query}`,
      )
    return response
      .status(400)
      .set(pageHeaders)
      .send(renderRefusal(preferredLanguage(request.headers)))
  })
  page.post(path, express.urlencoded({ extended: false, limit: 20_000 }), answer(decide))
  page.all(path, methodNotAllowed('GET, HEAD, POST'))
  return page
}

/** Whether a form was sent by a page of this service; browsers say so. */
function isFromHere({ headers }: Request, issuer: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  const isSame = site === undefined || site === 'same-origin' || site === 'none'
  // The pages send no referrer, so that their origin is null.
  return headers['content-type'] === undefined
    ? true
    : isSame && (origin === undefined || origin === 'null' || origin === new URL(issuer).origin)
}

function show(step: Step): Promise<void> {
  if (step.interaction.prompt.name !== 'login') return showConsent(step, 200)
  const fault = new URLSearchParams(targetOf(step.request).query).get('fault')
  return showSignIn(step, 200, isSignInFault(fault) ? fault : undefined)
}

async function decide(step: Step): Promise<void> {
  const { request, response, provider, interaction } = step
  const action = fieldsIn(request.body, 'action')[0]
  if (action === 'decline') {
    await provider.interactionFinished(
      request,
      response,
      { error: 'access_denied', error_description: 'The parent has declined' },
      { mergeWithLastSubmission: false },
    )
  } else if (interaction.prompt.name === 'login') await signIn(step)
  else if (action === 'other') await signInAnew(step)
  else await allow(step)
}

/** The values of a field of a form. */
function fieldsIn(body: unknown, name: string): string[] {
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
  return [value].flat().filter((each) => typeof each === 'string')
}

/** A parameter of the request that the service has sent the parent here with. */
function textIn({ params }: Interaction, name: string): string {
  const value = params[name]
  return typeof value === 'string' ? value : ''
}

/** A form may lead to the service that asks: browsers judge where its answer redirects, too. */
function send({ response, interaction }: Step, status: number, html: string): void {
  const target = new URL(textIn(interaction, 'redirect_uri'))
  response
    .status(status)
    .set(pageHeaders)
    .set('content-security-policy', contentPolicy(target.origin === 'null' ? target.protocol : target.origin))
    .send(html)
}

async function showSignIn(step: Step, status: number, fault?: SignInFault): Promise<void> {
  const { ctx, request, client: asking, interaction } = step
  const [email = textIn(interaction, 'login_hint')] = fieldsIn(request.body, 'email')
  const providers = ctx.socialProviders.web.map((name) => ({ name, url: `${addressOf(step)}/with/${name}` }))
  send(step, status, renderSignIn(preferredLanguage(request.headers), { asking, email, fault, providers }))
}

const addressOf = ({ provider, interaction }: Step) => `${provider.issuer}${INTERACTION}${interaction.uid}`

const faults: Record<number, SignInFault> = {
  400: 'wrong',
  404: 'wrong',
  401: 'incomplete',
  403: 'incomplete',
  410: 'deleted',
  423: 'blocked',
  429: 'many',
}

async function signIn(step: Step): Promise<void> {
  const { ctx, request, response } = step
  const [email = ''] = fieldsIn(request.body, 'email')
  const [password = ''] = fieldsIn(request.body, 'password')
  if (!isText(email, 320) || !isText(password, 1000)) return showSignIn(step, 422, 'wrong')
  try {
    await enter(step, await signedIn(ctx, (concerns) => provePassword(ctx, { email, password, concerns })))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value)
    const status = error.status === 429 ? 429 : 422
    await showSignIn(step, status, faults[error.status] ?? 'failed')
  }
}

/** Ends the step for the account that has signed in. */
async function enter(
  { ctx, request, response, provider, interaction }: Step,
  account: { id: number; token_epoch: number },
): Promise<void> {
  const accountId = String(account.id)
  const { session } = interaction
  if (session && session.accountId !== accountId) {
    // The library would ask by a page with a script whether the other one is to be signed out.
    await endProviderSession(ctx.database, session.uid)
    interaction.session = undefined
    await interaction.persist()
  }
  const login = { accountId, acr: String(account.token_epoch), remember: false }
  await provider.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false })
}

/** The attempt to sign in by the social provider that the address names. */
function attemptIn({ ctx, request, provider: { issuer }, interaction: { uid, prompt } }: Step) {
  const { provider } = request.params
  if (typeof provider !== 'string' || prompt.name !== 'login') throw new errors.SessionNotFound('no sign-in')
  return { provider, attempt: attemptOf(ctx.keys, { issuer, uid, provider }) }
}

async function leaveForProvider(step: Step): Promise<void> {
  const { provider, attempt } = attemptIn(step)
  const url = await step.ctx.socialProviders.begin(provider, attempt)
  const target = url instanceof URL ? url.href : `${addressOf(step)}?fault=failed`
  step.response.set({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(303, target)
}

async function returnFromProvider(step: Step): Promise<void> {
  const { ctx, request, response } = step
  const { provider, attempt } = attemptIn(step)
  const given = new URLSearchParams(targetOf(request).query)
  if (!isStateOf(attempt, given.get('state') ?? '')) throw new errors.SessionNotFound('another attempt')
  try {
    // Without a code, the parent has changed their mind, or the provider has failed.
    const code = given.get('code')
    const iss = given.get('iss') ?? undefined
    const account =
      code !== null &&
      (await signedIn(ctx, (concerns) =>
        proveIdentity(ctx, { provider, attempt, returned: { code, iss }, concerns }),
      ))
    if (account) await enter(step, account)
    else response.redirect(303, addressOf(step))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const fault =
      error.status === 404 ? 'stranger' : error instanceof BadCode ? 'failed' : faults[error.status]
    // Away from an address that holds a code.
    response.set('cache-control', 'no-store').redirect(303, `${addressOf(step)}?fault=${fault ?? 'failed'}`)
  }
}

class BadCode extends Failure {
  constructor() {
    super(400, 'Could not validate credentials')
  }
}

async function proveIdentity(
  ctx: Context,
  {
    provider,
    attempt,
    returned,
    concerns,
  }: { provider: string; attempt: Attempt; returned: Returned; concerns: Concerns },
) {
  const identity = await ctx.socialProviders.finish(provider, attempt, returned)
  if (identity === 'unavailable') throw new Failure(503, 'Sign-in provider is not available')
  if (identity === 'unknown' || identity === 'invalid') throw new BadCode()
  const id = await accountOf(ctx, identity)
  concerns(id)
  return { id, assertStill: undefined }
}

const isText = (text: string, most: number) =>
  text.length <= 2 * most && text.isWellFormed() && !text.includes('\0')

type Concerns = (rootUserId: number) => void

/** Signs in with the limits and the record of the sign-in by e-mail, but without a session of the account. */
async function signedIn(
  ctx: Context,
  prove: (concerns: Concerns) => Promise<{ id: number; assertStill: Parameters<typeof letIn>[4] }>,
) {
  const concerned: { rootUserId?: number } = {}
  const settle = await countGuess(ctx)
  let failure: unknown
  try {
    const { id, assertStill } = await prove((rootUserId) => {
      concerned.rootUserId = rootUserId
    })
    return await ctx.database.transaction((sql) => letIn(sql, ctx, id, 'connect_sign_in', assertStill))
  } catch (error) {
    failure = error
    if (error instanceof Failure) await recordRefusal(ctx, 'connect_sign_in', error, concerned)
    throw error
  } finally {
    await settle(failure)
  }
}

/** Begins again with the sign-in. */
async function signInAnew({ ctx, response, interaction, provider }: Step): Promise<void> {
  if (interaction.session) await endProviderSession(ctx.database, interaction.session.uid)
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(interaction.params))
    if (typeof value === 'string') query.set(name, value)
  response.redirect(303, `${provider.issuer}/oauth/authorize?${query.toString()}`)
}

/** The parent who is signed in here, and their own children. */
async function readFamily(ctx: Context, interaction: Interaction) {
  const rootUserId = Number(interaction.session?.accountId)
  const { sql, keyRing } = ctx.database
  const account = await sql
    .selectFrom('root_user')
    .select(['email', 'national_code', 'token_epoch'])
    .where('id', '=', rootUserId)
    .where('deleted_at', 'is', null)
    .where('blocked_at', 'is', null)
    .executeTakeFirst()
  if (!account || String(account.token_epoch) !== interaction.session?.acr)
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
    account: { ...account, email: keyRing.open('root_user.email', account.email) },
    children: children.map(({ id, first_name }) => ({
      id,
      first_name: keyRing.open('real_user.first_name', first_name),
    })),
  }
}

/** What is asked for, and known here. */
const scopesIn = (interaction: Interaction): Scope[] => {
  const asked = textIn(interaction, 'scope').split(' ')
  return scopes.filter((scope) => asked.includes(scope))
}

async function showConsent(step: Step, status: number, fault?: ConsentFault): Promise<void> {
  const { ctx, request, interaction, client: asking } = step
  const { account, children } = await readFamily(ctx, interaction)
  const isAgain = request.method === 'POST'
  const [only] = children.length === 1 ? children : []
  const chosen = new Set(isAgain ? fieldsIn(request.body, 'child').map(Number) : only ? [only.id] : [])
  const question = {
    asking,
    scopes: scopesIn(interaction),
    children,
    email: account.email ?? '',
    chosen,
    period: periodIn(request.body),
    fault,
  }
  send(step, status, renderConsent(preferredLanguage(request.headers), question))
}

function periodIn(body: unknown): Period {
  const [text = ''] = fieldsIn(body, 'period')
  return isPeriod(text) ? text : 'month'
}

async function allow(step: Step): Promise<void> {
  const { ctx, request, response, provider, interaction, client } = step
  const { rootUserId, account, children } = await readFamily(ctx, interaction)
  const wanted = new Set(fieldsIn(request.body, 'child').map(Number))
  const chosen = children.map(({ id }) => id).filter((id) => wanted.has(id))
  if (chosen.length === 0 || chosen.length < wanted.size) return showConsent(step, 422, 'children')
  const days = periods[periodIn(request.body)]
  const expiresAt = days === null ? null : new Date(Date.now() + days * DAY_MS)
  const grantId = await ctx.database.transaction(async (sql) => {
    if (!(await lockAccount(sql, rootUserId))) return undefined
    for (const child of chosen)
      if ((await lockChild(sql, child, 'update'))?.root_user_id !== rootUserId) return undefined
    const id = await keepGrant(sql, {
      rootUserId,
      clientId: client.client_id,
      scopes: scopesIn(interaction),
      children: chosen,
      expiresAt,
    })
    const reason = `client ${client.id}, grant ${id}, children ${chosen.join(', ')}`
    if (id !== undefined) await record(sql, ctx, { action: 'grant_start', rootUserId, reason })
    return id
  })
  // A child or the service has gone at this moment; the page says what is left.
  if (grantId === undefined) return showConsent(step, 422, 'failed')
  await tellHolder(ctx, 'grant_added', account)
  await provider.interactionFinished(request, response, { consent: { grantId: String(grantId) } })
}
