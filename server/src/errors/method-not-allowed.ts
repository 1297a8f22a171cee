import { Failure } from './failure.ts'
import { generic } from './generic.ts'

/** Returns a request handler that answers 405 to every method; `allow` lists the methods that the path supports. */
export const methodNotAllowed = (allow: string) => (): never => {
  throw new Failure(...generic.methodNotAllowed, { headers: { allow } })
}
