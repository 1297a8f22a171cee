import type { TRPCProcedureType } from '@trpc/server'
import type { AnyRouter } from '@trpc/server'
import { forEachOpenApiProcedure, getInputOutputParsers } from 'trpc-to-openapi'
import { z } from 'zod'
import type { ErrorDeclaration } from '../errors/failure.ts'
import type { Meta } from './context.ts'
import type { Operation } from './endpoint.ts'

/** Maps each method to its key in OpenAPI. */
export const openapiMethodKeys = {
  GET: 'get',
  POST: 'post',
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'delete',
} as const satisfies Record<Operation['method'], string>

/** An operation as `endpoint` declared it, with its path in the router. */
export interface ServedOperation {
  /** The path in the router, `auth.signIn`; also the operationId. */
  path: string
  type: TRPCProcedureType
  procedure: object
  operation: Operation
  errors: readonly ErrorDeclaration[]
  input: z.ZodObject
}

/** Lists every operation of `router` that is served over REST. Throws `TypeError` if one was not made by `endpoint`. */
export function operations(router: AnyRouter): ServedOperation[] {
  const found: ServedOperation[] = []
  // oxlint-disable-next-line no-underscore-dangle -- tRPC names it so
  forEachOpenApiProcedure(router._def.procedures, ({ path, type, procedure, meta }) => {
    const { operation, errors = [] }: Meta = meta
    const { inputParser }: { inputParser: unknown } = getInputOutputParsers(procedure)
    const input = inputParser instanceof z.ZodOptional ? inputParser.unwrap() : inputParser
    if (!operation || !(input instanceof z.ZodObject)) {
      throw new TypeError(`${path} must be made by endpoint() and take an object`)
    }
    // oxlint-disable-next-line no-underscore-dangle -- tRPC names it so
    if (procedure._def.inputs.length === 0)
      throw new TypeError(`${path} must declare its input: \`.input(noFields)\` if it takes no field`)
    found.push({ path, type, procedure, operation, errors, input })
  })
  return found
}
