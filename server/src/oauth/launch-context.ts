import { statement } from '../database/statement.ts'
import type { Database } from '../database/database.ts'
import { resourceId } from '../fhir-resources/resource-id.ts'

/** Where the FHIR API is. */
export const FHIR_PATH = '/fhir'

/** The address of the RelatedPerson that an account is in FHIR. */
export const fhirUser = (issuer: string, rootUserId: number): string =>
  `${issuer}${FHIR_PATH}/RelatedPerson/${resourceId({ kind: 'account', key: rootUserId })}`

const selectOnly = statement<{ real_user_id: number }>(
  'oauth-only-child',
  `SELECT min(real_user_id) AS real_user_id FROM access_grant_child WHERE grant_id = $1 HAVING count(*) = 1`,
)

/** The id of the Patient that a grant is for; undefined if it is for several. */
export async function patientOf({ query }: Database, grantId: number): Promise<string | undefined> {
  const [only] = await query(selectOnly, [grantId])
  return only && resourceId({ kind: 'child', key: only.real_user_id })
}
