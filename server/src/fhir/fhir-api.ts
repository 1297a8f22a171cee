import type { IncomingMessage } from 'node:http'
import type { RequestHandler } from 'express'
import type { FhirResource } from 'fhir/r4.d.ts'
import type { Logger } from 'pino'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import { codeSystem } from '../fhir-resources/definitions.ts'
import { errorResponder } from '../http/error-response.ts'
import type { Forwarded } from '../http/forwarded.ts'
import { sendJson } from '../http/json-response.ts'
import { splitRequestTarget } from '../http/request.ts'
import type { CreateContext } from '../http/request.ts'
import { beginExport, endExport, readExport, sendExportFile } from './bulk-export.ts'
import { acceptedMediaTypes } from './call.ts'
import type { FhirCall } from './call.ts'
import { capabilityStatement } from './capability-statement.ts'
import { FHIR_JSON, operationOutcome } from './outcome.ts'
import { everythingOf, read, readBinary, readPerson, readQuestionnaire } from './read-resource.ts'
import { servedType } from './resource-types.ts'
import { search } from './search-bundle.ts'
import { createSearchSource } from './search.ts'
import { smartConfiguration } from './smart-configuration.ts'

const notAcceptable = [406, 'Response is only available as application/fhir+json'] as const

const READ = ['GET', 'HEAD'] as const

interface Route {
  methods: readonly ('GET' | 'HEAD' | 'POST' | 'DELETE')[]
  /** Of a file, which judges for itself in which form it is wanted. */
  isFile?: true
  operation: string
  answer: (call: FhirCall) => Promise<FhirResource | object | undefined>
}

/** Everybody may call these, without a token. */
const open = (operation: string, answer: (call: FhirCall) => FhirResource | object): Route => ({
  methods: READ,
  operation,
  answer: async (call) => answer(call),
})

/** What is served on a path below `/fhir`. */
function routeOf(path: string): Route | undefined {
  const parts = path.split('/').slice(1)
  const [first = '', second, third, ...more] = parts
  if (more.length > 0) return undefined
  if (path === '/metadata')
    return open('fhir.metadata', ({ issuer, base }) => capabilityStatement(issuer, base))
  if (path === '/.well-known/smart-configuration')
    return open('fhir.smartConfiguration', ({ issuer }) => smartConfiguration(issuer))
  if (path === '/CodeSystem/companion')
    return open('fhir.codeSystem', ({ ctx }) => ({ ...codeSystem(ctx.fhirSystem), id: 'companion' }))
  if (second !== undefined && third === undefined) {
    if (first === 'Questionnaire') return reading((call) => readQuestionnaire(call, second))
    if (first === 'RelatedPerson') return reading((call) => readPerson(call, second))
    if (first === 'Binary') return { ...reading((call) => readBinary(call, second)), isFile: true }
  }
  if (path === '/$export' || path === '/Patient/$export')
    return { methods: ['GET', 'POST'], operation: 'fhir.export', answer: beginExport }
  if (first === '$export' && second !== undefined) {
    const operation = 'fhir.export'
    if (third !== undefined)
      return { methods: READ, operation, isFile: true, answer: (call) => sendExportFile(call, second, third) }
    return {
      methods: [...READ, 'DELETE'],
      operation,
      answer: (call) => (call.request.method === 'DELETE' ? endExport : readExport)(call, second),
    }
  }
  const type = servedType(first)
  if (!type) return undefined
  if (second === undefined)
    return { methods: READ, operation: 'fhir.search', answer: (call) => search(call, type) }
  if (second === '_search' && third === undefined)
    return { methods: ['POST'], operation: 'fhir.search', answer: (call) => search(call, type) }
  if (third === undefined) return reading((call) => read(call, type, second))
  if (type.name === 'Patient' && third === '$everything') return reading((call) => everythingOf(call, second))
  return undefined
}

const reading = (answer: Route['answer']): Route => ({ methods: READ, operation: 'fhir.read', answer })

/** The FHIR R4 API (https://hl7.org/fhir/R4/http.html) under `/fhir`, read-only: JSON, and errors as OperationOutcome. */
export function fhirApi(
  createContext: CreateContext,
  forwarded: Pick<Forwarded, 'originOf'>,
  log: Logger,
): RequestHandler {
  const sendError = errorResponder(
    log,
    forwarded,
    (status, detail) =>
      operationOutcome(status, typeof detail === 'string' ? detail : 'Request is not valid'),
    FHIR_JSON,
  )
  return async (request, response, next) => {
    const { path } = splitRequestTarget(request)
    const [, below] = /^\/fhir(\/.*)?$/.exec(path) ?? []
    if (below === undefined && path !== '/fhir') return next()
    try {
      const route = routeOf(decoded(below ?? '/'))
      if (!route) throw new Failure(...generic.notFound)
      if (request.facts) request.facts.operation = route.operation
      const allow: string[] = [...route.methods, 'OPTIONS']
      const method = request.method ?? ''
      if (method === 'OPTIONS') return void response.writeHead(204, { allow: allow.join(', ') }).end()
      if (!allow.includes(method))
        throw new Failure(...generic.methodNotAllowed, { headers: { allow: allow.join(', ') } })
      if (!route.isFile && !acceptsJson(request)) throw new Failure(...notAcceptable)
      const ctx = createContext(request, response, 'rest')
      const issuer = forwarded.originOf(request)
      const base = `${issuer}/fhir`
      const outcome = await route.answer({
        request,
        response,
        ctx,
        issuer,
        base,
        source: createSearchSource(ctx, base),
      })
      if (outcome !== undefined) sendJson(response, 200, outcome, contentTypeOf(outcome))
    } catch (error) {
      sendError(error, request, response)
    }
  }
}

const contentTypeOf = (answer: object) =>
  'resourceType' in answer ? FHIR_JSON : 'application/json; charset=utf-8'

/** A path that is not valid URL encoding names nothing. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw new Failure(...generic.notFound)
  }
}

const JSON_TYPES = new Set(['application/fhir+json', 'application/json', 'application/*', '*/*', 'json'])

const acceptsJson = (request: IncomingMessage): boolean =>
  acceptedMediaTypes(request).some((type) => JSON_TYPES.has(type))
