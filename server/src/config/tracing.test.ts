import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test('nothing is traced without an endpoint, or when OTEL_SDK_DISABLED says so', () => {
  expect(readConfig({ OTEL_SERVICE_NAME: 'companion' }).tracing).toBe(undefined)
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318'
  expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' }).tracing).toBe(undefined)
})

test('the endpoint of traces stands as it is, the one of all signals gets their path', () => {
  const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector/otlp/' }
  expect(readConfig(base).tracing).toEqual({
    url: 'https://collector/otlp/v1/traces',
    serviceName: undefined,
    sampler: 'parentbased_always_on',
    ratio: 1,
  })
  const own = { ...base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://elsewhere/traces' }
  expect(readConfig(own).tracing?.url).toBe('https://elsewhere/traces')
})

test.each([
  ['0', 0],
  ['.05', 0.05],
  ['0.25', 0.25],
  ['1', 1],
  ['1.0', 1],
])('a ratio of %s', (OTEL_TRACES_SAMPLER_ARG, ratio) => {
  const given = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_TRACES_SAMPLER_ARG }
  expect(readConfig(given).tracing?.ratio).toBe(ratio)
})
