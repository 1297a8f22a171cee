import type { EnvironmentBounds } from '../config/alerts.ts'

declare module '../http/context.ts' {
  interface Context {
    /** The bounds outside which a base station's reading alerts the parent. */
    environmentBounds: EnvironmentBounds
  }
}

const measures = ['temperature', 'humidity', 'brightness', 'noise'] as const

/** Returns the bounds as `store_readings` takes them: lowest and highest value of each measure in turn. */
export const encodeBoundsParameter = (bounds: EnvironmentBounds): number[] =>
  measures.flatMap((measure) => bounds[measure] ?? [-Infinity, Infinity])
