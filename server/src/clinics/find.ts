import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { codeErrors, codeField, findClinicByCode } from './code.ts'
import { clinicSchema } from './connection.ts'

export const find = accountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/clinic',
    right: 'self',
    summary: 'The clinic of a code',
    description:
      'For the parent who has typed or scanned it: it says whom they would let in. It changes nothing.',
  },
  codeErrors,
)
  .input(z.object({ code: codeField }))
  .output(clinicSchema)
  .query(({ ctx, input: { code } }) => findClinicByCode(ctx, ctx.caller.rootUserId, code))
