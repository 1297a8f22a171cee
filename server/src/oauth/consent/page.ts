import type { Request, Response } from 'express'
import type { Provider } from 'oidc-provider'
import type { Language } from '../../delivery/messages.ts'
import type { Context } from '../../http/context.ts'
import { contentPolicy, pageHeaders } from '../../http/html-page.ts'
import type { Client } from '../client.ts'
import { urlAfterStep } from '../step.ts'
import type { Interaction } from '../step.ts'

/** One step of an authorization, as a browser is in it. */
export interface AuthorizationStep {
  ctx: Context
  provider: Provider
  request: Request
  response: Response
  interaction: Interaction
  client: Client
  language: Language
}

/** Leads on from an answered step. */
export const redirectToNextStep = ({ provider, interaction, response }: AuthorizationStep): void =>
  response.set('cache-control', 'no-store').redirect(303, urlAfterStep(provider, interaction.uid))

/** The values of a field of a form. */
export function formFieldValues(body: unknown, name: string): string[] {
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
  return [value].flat().filter((each) => typeof each === 'string')
}

/** A parameter of the request that the service has sent the parent here with. */
export function readAuthorizationParameter({ params }: Pick<Interaction, 'params'>, name: string): string {
  const value = params[name]
  return typeof value === 'string' ? value : ''
}

/** A form may lead to the service that asks: browsers judge where its response redirects, too. */
export function sendConsentPage(
  { response, interaction }: AuthorizationStep,
  status: number,
  html: string,
): void {
  const target = new URL(readAuthorizationParameter(interaction, 'redirect_uri'))
  response
    .status(status)
    .set(pageHeaders)
    .set('content-security-policy', contentPolicy(target.origin === 'null' ? target.protocol : target.origin))
    .send(html)
}
