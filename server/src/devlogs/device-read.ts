import { Failure } from '../errors/failure.ts'
import type { ErrorDeclaration } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import { endpoint } from '../http/endpoint.ts'
import type { Operation } from '../http/endpoint.ts'
import { recordDeviceCallOnTrail } from './device-call.ts'

declare module '../http/context.ts' {
  interface Context {
    deviceReads: boolean
  }
}

/** Starts a read of a device's records without a token. With `DEVICE_READS=off` there is no such path. */
export const deviceReadEndpoint = <const Errors extends readonly ErrorDeclaration[]>(
  operation: Operation,
  errors: Errors,
) =>
  endpoint(operation, errors)
    .use(({ ctx, next }) => {
      if (!ctx.deviceReads) throw new Failure(...generic.notFound)
      return next()
    })
    .use(recordDeviceCallOnTrail)
