import { Failure } from './failure.ts'
import { generic } from './generic.ts'

/** A request handler that refuses every method; `allow` lists the methods that its path has. */
export const methodNotAllowed = (allow: string) => (): never => {
  throw new Failure(...generic.methodNotAllowed, { headers: { allow } })
}
