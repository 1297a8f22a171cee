import type { OperationOutcome } from 'fhir/r4.d.ts'

export const FHIR_JSON = 'application/fhir+json; charset=utf-8'

/** Codes of https://hl7.org/fhir/R4/valueset-issue-type.html by status. */
const codes: Record<number, OperationOutcome['issue'][number]['code']> = {
  400: 'invalid',
  401: 'login',
  403: 'forbidden',
  404: 'not-found',
  405: 'not-supported',
  406: 'not-supported',
  413: 'too-long',
  415: 'not-supported',
  423: 'forbidden',
  426: 'not-supported',
  429: 'throttled',
  503: 'transient',
}

/** An error as FHIR tells it. */
export const operationOutcome = (status: number, detail: string): OperationOutcome => ({
  resourceType: 'OperationOutcome',
  issue: [{ severity: 'error', code: codes[status] ?? 'exception', diagnostics: detail }],
})
