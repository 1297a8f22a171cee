import pLimit from 'p-limit'
import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { isCurrentPassword } from '../auth/password/current-password.ts'
import { recordSecurityEvent, recordErrorsOfOperation } from '../auth/security-record.ts'
import { Failure } from '../errors/failure.ts'
import { accountErrors, generic } from '../errors/generic.ts'
import { idField, textField } from '../http/fields.ts'
import { fileResponseSchema } from '../http/file-response.ts'
import { growingResponse } from '../http/growing-file.ts'
import type { GrowingFile } from '../http/growing-file.ts'
import { today } from '../time/wall-clock.ts'
import { exportAsFhir } from './export/family-fhir.ts'
import { exportAsJson } from './export/family-json.ts'
import { writeZip } from './export/zip-file.ts'

declare module '../http/context.ts' {
  interface Context {
    /** The base of the URIs that name records and codes in FHIR. */
    fhirSystem: string
  }
}

/** Each holds a connection to the database, of which most must stay free for other requests. */
const inTurn = pLimit(2)
const MOST_WAITING = 16

const BUDGET = 'exportsPerAccount'

export const exportData = accountEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/user/export',
    repeat: 'none',
    right: 'owner',
    summary: 'All data of the family, as a zip file',
    description: `\`json\`: a JSON file for each kind of record, and \`dictionary.json\`, which says what each field means. \`fhir\`: \`bundle.json\`,
an HL7 FHIR R4 Bundle of the type \`transaction\` that a FHIR server takes in (Patient, Device, CarePlan, Observation,
QuestionnaireResponse and MedicationStatement, with CodeSystem and Questionnaire), and \`codes.json\`, the CodeSystem alone. Both have \`manifest.json\` with the SHA-256 and the size of each file. With \`real_user_id\` it is what is kept about
that child alone, without the account and the base stations of the home.`,
    file: 'application/zip',
  },
  [
    [400, 'Password is invalid', '`password` is wrong, or the account has none'],
    [401, 'Not authorized user', 'the child belongs to another account'],
    [404, 'Real user is not found', 'no such child, or it was deleted'],
    [
      429,
      'Too many requests',
      'the account was exported three times within the last hour, or too many exports are waiting',
    ],
  ],
)
  .use(recordErrorsOfOperation('account_export'))
  .input(
    z.object({
      format: z.enum(['json', 'fhir']).meta({ description: '`json`, or `fhir` for FHIR R4' }),
      password: textField({ most: 1000 }).meta({ format: 'password' }),
      real_user_id: idField.optional().meta({ description: 'Only this child' }),
    }),
  )
  .output(fileResponseSchema)
  .mutation(async ({ ctx, input: { format, password, real_user_id } }) => {
    const { database, limits, fhirSystem, timeZone } = ctx
    const { rootUserId } = ctx.caller
    ctx.concerns(rootUserId)
    const account = await database.sql
      .selectFrom('root_user')
      .select(['id', 'password_hash'])
      .where('id', '=', rootUserId)
      .executeTakeFirst()
    if (!account) throw new Failure(...accountErrors[0])
    if (!(await isCurrentPassword(ctx, account, password))) throw ctx.failure(400, 'Password is invalid')
    const known = await database.sql
      .selectFrom('real_user')
      .select(['id', 'root_user_id'])
      .where('deleted_at', 'is', null)
      .where((row) =>
        real_user_id === undefined ? row('root_user_id', '=', rootUserId) : row('id', '=', real_user_id),
      )
      .orderBy('id')
      .execute()
    if (real_user_id !== undefined && known.length === 0) throw ctx.failure(404, 'Real user is not found')
    for (const child of known) {
      const role = child.root_user_id === rootUserId ? 'owner' : undefined
      if (!ctx.mayAccess(role, child.id)) throw ctx.failure(401, 'Not authorized user')
    }
    if (inTurn.pendingCount >= MOST_WAITING)
      throw new Failure(...generic.tooMany, { headers: { 'retry-after': '60' } })
    await limits.consume(BUDGET, String(rootUserId))
    const now = new Date()
    const family = {
      keyRing: database.keyRing,
      rootUserId,
      children: known.map((child) => child.id),
      timeZone,
      isWhole: real_user_id === undefined,
    }
    await recordSecurityEvent(database.sql, ctx, { action: 'account_export', rootUserId, reason: format })
    const write = (file: GrowingFile) =>
      inTurn(() =>
        database.offload((snapshot) =>
          writeZip(file, (add) =>
            snapshot((query) =>
              format === 'json'
                ? exportAsJson(query, family, add)
                : exportAsFhir(
                    query,
                    { ...family, system: fhirSystem, today: today(timeZone, now), now },
                    add,
                  ),
            ),
          ),
        ),
      )
    // An export that failed counts: it has taken a place and time of the database, as often as it is asked for.
    return growingResponse(`companion-${format}-${now.toISOString().slice(0, 10)}.zip`, write, {
      onBroken: () => limits.giveBack(BUDGET, String(rootUserId)),
    })
  })
