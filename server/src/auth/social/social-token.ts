import { z } from 'zod'
import { Failure } from '../../errors/failure.ts'
import type { ErrorDeclaration } from '../../errors/failure.ts'
import type { Context } from '../../http/context.ts'
import { textField } from '../../http/fields.ts'
import { InvalidInput } from '../../http/validation-issues.ts'
import type { VerifiedIdentity } from './social-provider.ts'

/** How a sign-in provider's token may fail. */
export const socialTokenErrors = [
  [401, 'Could not validate credentials', 'the ID token is not valid'],
  [503, 'Sign-in provider is not available', 'the keys of its issuer are out of reach'],
] as const satisfies readonly ErrorDeclaration[]

const [badToken, unavailable] = socialTokenErrors

/** The token that an app got from the sign-in provider. */
export const socialTokenInput = z.object({
  provider: textField({ least: 1, most: 32 }).meta({
    description: 'A name from the configuration of the service.',
    examples: ['google', 'apple', 'kakao'],
  }),
  id_token: z.string().max(20_000).meta({ description: 'The ID token (OpenID Connect).' }),
  nonce: textField().optional().meta({
    description: 'Required when the ID token has a `nonce`, and equal to it.',
  }),
})

/** The person that the token is about. Throws when it is not to be trusted or its issuer is out of reach. */
export async function verifySocialToken(
  { socialProviders }: Context,
  { provider, id_token, nonce }: z.infer<typeof socialTokenInput>,
): Promise<VerifiedIdentity> {
  const identity = await socialProviders.verify(provider, id_token, nonce)
  if (identity === 'unknown') throw new InvalidInput(['provider'], 'is not a provider of this service')
  if (identity === 'invalid') throw new Failure(...badToken)
  if (identity === 'unavailable') throw new Failure(...unavailable)
  return identity
}
