import type { RequestListener } from 'node:http'
import { createExpressMiddleware } from '@trpc/server/adapters/express'
import express from 'express'
import type { Request } from 'express'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import { deriveKeys } from './auth/keys.ts'
import { resetPage } from './auth/reset-page.ts'
import { createSocialProviders } from './auth/social-provider.ts'
import { createTokens } from './auth/tokens.ts'
import type { Config } from './config/config.ts'
import type { Database } from './database/database.ts'
import { measurePool } from './database/pool-metrics.ts'
import type { MailSender } from './delivery/mail.ts'
import type { SmsSender } from './delivery/sms.ts'
import { measureSilentDevices } from './devices/silent-devices.ts'
import { Failure } from './errors/failure.ts'
import type { Context } from './http/context.ts'
import { directly } from './http/direct.ts'
import { documentation } from './openapi/documentation.ts'
import { genericError } from './http/endpoint.ts'
import { errorHandler, notFound } from './http/error-handler.ts'
import { health } from './http/health.ts'
import { createLimits, noLimits } from './limits/limits.ts'
import { metrics } from './telemetry/metrics.ts'
import type { Tracing } from './telemetry/open-telemetry.ts'
import { operations } from './http/operations.ts'
import { requestLog } from './telemetry/request-log.ts'
import { bareCallerRequest, callerRequest } from './http/request.ts'
import { restRouter } from './http/rest.ts'
import type { RestLocals } from './http/rest.ts'
import { validationIssues } from './http/validation-issues.ts'
import { createDrawing } from './reports/drawing.ts'
import { appRouter } from './router.ts'

const MOST_TRPC_BYTES = 5_000_000

export interface Dependencies {
  config: Config
  tokenSecret: string
  database: Database
  sms: SmsSender
  mail: MailSender
  log: Logger
  tracing?: Tracing | undefined
}

/** Puts the rooms together into one listener for HTTP requests. */
export function createApp(dependencies: Dependencies): RequestListener {
  const { config, tokenSecret, database, sms, mail, log, tracing } = dependencies
  const keys = deriveKeys(tokenSecret, config)
  const plain = {
    database,
    keys,
    sms,
    mail,
    log,
    tokens: createTokens(keys),
    limits: config.rateLimits
      ? createLimits(database.pool, (key) => keys.hash('limit', key), config)
      : noLimits,
    timeZone: config.timeZone,
    tombstoneDays: config.tombstoneDays,
    devlogDeletion: config.devlogDeletion,
    deviceReads: config.deviceReads,
    environmentBounds: config.environmentBounds,
    smsCountries: config.smsCountries,
    smsAppHash: config.smsAppHash,
    socialProviders: createSocialProviders(config.socialProviders, log),
    drawReport: createDrawing(),
  }
  const services = tracing ? traced(plain, tracing) : plain
  const createContext = (request: Request): Context => ({
    ...services,
    request: callerRequest(request, config.publicUrl),
  })

  const app = express()
  app
    .disable('x-powered-by')
    .disable('etag')
    .set('trust proxy', config.trustProxy)
    .set('query parser', 'simple')
  app.use(health(database))
  const measured = new Registry()
  measurePool(database, measured)
  measureSilentDevices(database, measured)
  app.use(metrics(measured, config.metricsToken))
  app.use(requestLog(log))
  app.use('/trpc', trpcMiddleware(createContext, log))
  app.use(documentation(config.publicUrl))
  app.use(resetPage(createContext))
  app.use(restRouter(appRouter, createContext))
  app.use(notFound)
  const onError = errorHandler(log, config.publicUrl)
  app.use(onError)
  const listener = directly(app, {
    router: appRouter,
    log,
    onError,
    createContext: (request, response, dressed) => ({
      ...services,
      request: bareCallerRequest(request, response, dressed, config),
    }),
  })
  return tracing ? tracing.requests(listener, operations(appRouter)) : listener
}

/** What is waited for outside of this process, and the drawing beside it, get spans of their own. */
const traced = <Services extends Pick<Context, 'sms' | 'mail' | 'socialProviders' | 'drawReport'>>(
  services: Services,
  tracing: Tracing,
): Services => {
  const { sms, mail, socialProviders, drawReport } = services
  return {
    ...services,
    sms: { sendSms: tracing.around('sms.send', (message) => sms.sendSms(message)) },
    mail: { sendMail: tracing.around('mail.send', (message) => mail.sendMail(message)) },
    socialProviders: {
      verify: tracing.around('social.verify', (...token) => socialProviders.verify(...token)),
    },
    drawReport: tracing.around('report.draw', drawReport),
  }
}

/** Only what exists has a name in log and metrics: everything else is what a caller wrote. */
const names = new Set(operations(appRouter).map(({ path }) => path))
const operationName = (path = '') => (names.has(path) ? path : 'none')

const trpcMiddleware = (createContext: (request: Request) => Context, log: Logger) =>
  createExpressMiddleware({
    router: appRouter,
    createContext({ req, res, info }) {
      Object.assign(res.locals, { operation: operationName(info.calls[0]?.path) } satisfies RestLocals)
      return createContext(req)
    },
    allowBatching: false,
    maxBodySize: MOST_TRPC_BYTES,
    onError({ error, ctx, input }) {
      const [status] =
        error instanceof Failure ? [error.status] : genericError(error, validationIssues(error, input, ''))
      if (status === 500) log.error({ err: error, request_id: ctx?.request.id }, 'unforeseen')
    },
    responseMeta: ({ errors }) => {
      const [error] = errors
      return error instanceof Failure ? { headers: error.headers } : {}
    },
  })
