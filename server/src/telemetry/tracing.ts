import type { Logger } from 'pino'
import type { TracingConfig } from '../config/tracing.ts'
import type { Tracing } from './open-telemetry.ts'

/** Starts the tracing that is configured; without any, nothing of it is even loaded. */
export async function startTracing(
  { tracing }: { tracing: TracingConfig | undefined },
  log: Logger,
): Promise<Tracing | undefined> {
  if (!tracing) return undefined
  const { openTelemetry } = await import('./open-telemetry.ts')
  return openTelemetry(tracing, log)
}
