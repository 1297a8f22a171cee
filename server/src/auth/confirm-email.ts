import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { booleanField, messageResponseSchema } from '../http/fields.ts'
import { limitFailedGuesses } from './count-failures.ts'
import { applyEmailConfirmation, confirmationErrors } from './email-address/email-confirmation.ts'
import { recordErrorsOfOperation } from './security-record.ts'

export const confirmEmail = endpoint(
  {
    method: 'POST',
    path: '/api/v1/alpha/auth/email/confirm',
    summary: 'Say whether an e-mail address is yours, with the token of the mail',
    description: `For an app that opens the link itself; the link opens a page of this service that does it. \`is_mine: true\` proves the
address, and makes it the account's if the mail was sent for a change of address. \`is_mine: false\` frees it: the account
lives on without an address, and its holder or an operator sets another.`,
  },
  confirmationErrors,
)
  .use(recordErrorsOfOperation('email_confirm'))
  .input(
    z.object({
      token: z.string().max(200).meta({ description: 'The parameter `token` of the link in the mail' }),
      is_mine: booleanField.meta({ description: 'Whether the address is the reader’s own' }),
    }),
  )
  .output(messageResponseSchema)
  .use(limitFailedGuesses)
  .mutation(async ({ ctx, input: { token, is_mine } }) => {
    await applyEmailConfirmation(ctx, token, is_mine)
    return {
      statusCode: 200 as const,
      message: is_mine ? 'Email address confirmed' : 'Email address removed from the account',
    }
  })
