import type { Logger } from 'pino'
import type { TracingConfig } from '../config/tracing.ts'
import type { Tracing } from './open-telemetry.ts'

/** Starts tracing if it is configured; otherwise OpenTelemetry is not even loaded. */
export async function startTracing(
  { tracing }: { tracing: TracingConfig | undefined },
  log: Logger,
): Promise<Tracing | undefined> {
  if (!tracing) return undefined
  const { openTelemetry } = await import('./open-telemetry.ts')
  return openTelemetry(tracing, log)
}
