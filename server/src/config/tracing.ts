import { z } from 'zod'
import { urlSetting } from './values.ts'

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** Where spans are sent, and which. The exporter itself reads variables for headers and certificates. */
export interface TracingConfig {
  url: string
  serviceName: string | undefined
  sampler: (typeof samplers)[number]
  /** The share of new traces to keep, from 0 to 1, for the `traceidratio` samplers. */
  ratio: number
}

/** The environment variables of tracing, as OpenTelemetry names them. */
export const tracingVariablesSchema = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: urlSetting('http:', 'https:').optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: urlSetting('http:', 'https:').optional(),
  OTEL_SDK_DISABLED: z.enum(['true', 'false']).default('false'),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_TRACES_SAMPLER: z.enum(samplers).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0?\.\d{1,9}|[01](\.0{0,9})?)$/, 'must be a number from 0 to 1')
    .transform(Number)
    .default(1),
})

/** Returns undefined, which turns tracing off, without an endpoint or if `OTEL_SDK_DISABLED` is `true`. */
export function tracingConfig(env: z.infer<typeof tracingVariablesSchema>): TracingConfig | undefined {
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/+$/, '')
  const url = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base}/v1/traces`)
  if (!url || env.OTEL_SDK_DISABLED === 'true') return undefined
  return {
    url,
    serviceName: env.OTEL_SERVICE_NAME,
    sampler: env.OTEL_TRACES_SAMPLER,
    ratio: env.OTEL_TRACES_SAMPLER_ARG,
  }
}
