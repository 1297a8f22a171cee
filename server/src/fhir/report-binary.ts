import type { Binary } from 'fhir/r4.d.ts'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import { FileResponse } from '../http/file-response.ts'
import { preferredLanguage } from '../http/language.ts'
import { reportErrors } from '../reports/report-data.ts'
import { drawReportPdf } from '../reports/report-endpoint.ts'
import { addDays, daysInMonth } from '../time/wall-clock.ts'
import { acceptedMediaTypes } from './call.ts'
import type { FhirCall } from './call.ts'
import { findDocuments } from './find-documents.ts'
import { ALWAYS } from './period.ts'
import type { Reach } from './reach.ts'
import { namedRow } from '../fhir-resources/resource-id.ts'

const PDF = 'application/pdf'

/** The forms in which the report is there, by what a caller may ask for. */
const forms: Record<string, 'pdf' | 'json'> = {
  [PDF]: 'pdf',
  '*/*': 'pdf',
  'application/*': 'pdf',
  'application/fhir+json': 'json',
  'application/json': 'json',
  json: 'json',
}

/** Answers the report of a month: the PDF itself, or a Binary with it for who asks for FHIR's JSON. */
export async function sendReport(
  { ctx, request, response, source }: FhirCall,
  reached: Reach,
  { id, realUserId, month }: { id: string; realUserId: number; month: string },
): Promise<Binary | undefined> {
  const [form] = acceptedMediaTypes(request).flatMap((type) => forms[type] ?? [])
  if (form === undefined)
    throw new Failure(406, 'Response is only available as application/pdf and application/fhir+json')
  const named = namedRow(id)
  const children = reached.children.filter((each) => each.id === realUserId)
  const wanted = {
    children,
    ownAccount: undefined,
    ids: named && [{ id, named }],
    updated: undefined,
    dates: ALWAYS,
    admits: () => true,
    after: undefined,
    limit: 1,
  }
  // Of a month without a use there is none.
  const { found } = await findDocuments(source, wanted)
  if (found.length === 0) throw new Failure(...generic.notFound)
  const [year, number] = month.split('-').map(Number)
  const first = `${month}-01`
  const pdf = await drawReportPdf(ctx, {
    rootUserId: reached.caller.rootUserId,
    mayAccess: (_role, child) => child === realUserId,
    withNotes: children.every(({ scopes }) => scopes.has('notes:read')),
    real_user_id: realUserId,
    period: { first, last: addDays(first, daysInMonth(year ?? 1, number ?? 1) - 1) },
    timeZone: ctx.timeZone,
    language: preferredLanguage(request.headers) === 'ko' ? 'KR' : 'EN',
  }).catch((error: unknown) => {
    const isNone =
      error instanceof Failure &&
      reportErrors.some(([status, detail]) => error.status === status && error.detail === detail)
    throw isNone ? new Failure(...generic.notFound) : error
  })
  reached.note('fhir.read', [realUserId])
  if (form === 'json')
    return { resourceType: 'Binary', id, contentType: PDF, data: Buffer.from(pdf).toString('base64') }
  await new FileResponse({ name: `${id}.pdf`, size: pdf.length, bytes: () => [pdf] }).send(response, PDF)
  return undefined
}
