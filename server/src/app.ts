import type { RequestListener } from 'node:http'
import express from 'express'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import { deriveKeys } from './auth/keys.ts'
import { createErrorCounts } from './auth/error-counts.ts'
import { confirmationPage } from './auth/pages/confirmation-page.ts'
import { resetPage } from './auth/pages/reset-page.ts'
import { createSocialProviders } from './auth/social/social-provider.ts'
import { createTokens } from './auth/tokens/tokens.ts'
import type { Config } from './config/config.ts'
import { authorizationServer } from './oauth/authorization-server.ts'
import type { Database } from './database/database.ts'
import { measureDatabase } from './database/metrics.ts'
import type { MailSender } from './delivery/mail.ts'
import { outboxPage } from './delivery/outbox-page.ts'
import type { SmsSender } from './delivery/sms.ts'
import { measureNights } from './delivery/night-metrics.ts'
import { measureSilentDevices } from './devices/silent-devices.ts'
import { directDeviceIntegration } from './firmware/ddi.ts'
import { createFirmwareFiles } from './firmware/files.ts'
import type { FirmwareFiles } from './firmware/files.ts'
import { measureReleases } from './firmware/judge.ts'
import type { Context } from './http/context.ts'
import { Failure } from './errors/failure.ts'
import { generic } from './errors/generic.ts'
import { fhirApi } from './fhir/fhir-api.ts'
import { errorResponder, errorHandler, notFound } from './http/error-response.ts'
import { forwarded } from './http/forwarded.ts'
import { health } from './http/health.ts'
import { operations } from './http/operations.ts'
import { callerRequest } from './http/request.ts'
import type { CreateContext } from './http/request.ts'
import { restListener } from './http/rest.ts'
import { rpcErrorBody, trpcListener } from './http/trpc.ts'
import { webApp } from './http/web-app.ts'
import { findRequestDefect } from './http/body/request-defect.ts'
import { createLimits, noLimits } from './limits/limits.ts'
import { documentation } from './openapi/documentation.ts'
import { createReportRenderer } from './reports/drawing.ts'
import { verifyPage } from './reports/verify-page.ts'
import { appRouter } from './router.ts'
import { invitationPage } from './shares/invitation-page.ts'
import { isSupported } from './telemetry/client.ts'
import { measureClock, watchClock } from './telemetry/clock.ts'
import type { ClockWatch } from './telemetry/clock.ts'
import { metrics } from './telemetry/metrics.ts'
import type { Tracing } from './telemetry/open-telemetry.ts'
import { noteRequest, requestLog } from './telemetry/request-log.ts'
import { createTrail } from './trail/trail.ts'
import type { Trail } from './trail/trail.ts'

export interface Dependencies {
  config: Config
  tokenSecret: string
  database: Database
  sms: SmsSender
  mail: MailSender
  log: Logger
  tracing?: Tracing | undefined
  clock?: ClockWatch
  /** The caller that passes it must stop it. */
  trail?: Trail
  /** The caller that passes them must close them. */
  firmwareFiles?: FirmwareFiles
}

/** The tools that all operations share, besides the request. */
export function createServices(dependencies: Dependencies): Omit<Context, 'request'> {
  const { config, tokenSecret, database, sms, mail, log, tracing } = dependencies
  const { trail = createTrail(database, log), firmwareFiles = createFirmwareFiles(database) } = dependencies
  const keys = deriveKeys(tokenSecret, config)
  const services = {
    database,
    keys,
    sms,
    mail,
    log,
    tokens: createTokens(keys),
    errorCounts: createErrorCounts(database),
    trail,
    limits: config.rateLimits
      ? createLimits(database.pool, (key) => keys.hash('limit', key), config, log)
      : noLimits,
    production: config.production,
    timeZone: config.timeZone,
    adherenceGoalMinutes: config.adherenceGoalMinutes,
    fhirSystem: config.fhirSystem,
    passwordHashing: config.passwordHashing,
    phoneChangePassword: config.phoneChangePassword,
    consentVersions: config.consentVersions,
    tombstoneDays: config.tombstoneDays,
    devlogDeletion: config.devlogDeletion,
    deviceReads: config.deviceReads,
    firmwareFiles,
    environmentBounds: config.environmentBounds,
    smsCountries: config.smsCountries,
    smsAppHash: config.smsAppHash,
    socialProviders: createSocialProviders(config.socialProviders, log),
    drawReport: createReportRenderer(keys.reportSeal, log),
  }
  return tracing ? traced(services, tracing) : services
}

/**
 * Puts the modules together into one listener for HTTP requests. Operations are answered before Express looks for a
 * route, which would cost as much as a small operation itself; pages and probes are left to Express.
 */
export function createApp(dependencies: Dependencies): RequestListener {
  const { config, database, log, tracing, clock = watchClock(database, log) } = dependencies
  const services = createServices(dependencies)
  const client = forwarded(config)
  const createContext: CreateContext = (request, response, surface) => {
    if (!isSupported(request.facts?.client, config.minClientVersions))
      throw new Failure(...generic.clientVersion)
    return { ...services, request: callerRequest(request, response, surface, client) }
  }
  const sendError = errorResponder(log, client)
  const rest = restListener(appRouter, { log, createContext, sendError })
  const sendRpcError = errorResponder(log, client, rpcErrorBody)
  const trpc = trpcListener(appRouter, { log, createContext, sendError: sendRpcError })

  const measured = new Registry()
  measureDatabase(database, measured)
  measureSilentDevices(database, measured)
  measureNights(database, measured)
  measureClock(clock, measured)
  measureReleases(database, measured)
  const others = express().disable('x-powered-by').disable('etag').set('query parser', 'simple')
  others.use(health(database, clock))
  others.use(metrics(measured, config.metricsToken))
  others.use(requestLog(log))
  others.use(documentation(client))
  others.use(resetPage(createContext))
  others.use(confirmationPage(createContext))
  others.use(invitationPage(createContext))
  others.use(verifyPage(services.keys.reportSeal, client))
  others.use(fhirApi(createContext, client, log))
  if (config.firmwareDdi) others.use(directDeviceIntegration(createContext, client, log))
  others.use(authorizationServer(services, config, client, createContext))
  if (config.clinicApp !== undefined) others.use(webApp('/clinic', config.clinicApp))
  if (!config.production) others.use(outboxPage(config.outboxFile))
  others.use(notFound, errorHandler(sendError))

  const listener: RequestListener = (request, response) => {
    const unfit = findRequestDefect(request)
    if (unfit) {
      noteRequest(log, request, response)
      sendError(unfit, request, response)
    } else if (!rest(request, response) && !trpc(request, response)) others(request, response)
  }
  return tracing ? tracing.requests(listener, operations(appRouter)) : listener
}

/** Waits outside of this process, and drawing, get spans of their own. */
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
      ...socialProviders,
      verify: tracing.around('social.verify', (...token) => socialProviders.verify(...token)),
      finish: tracing.around('social.finish', (...attempt) => socialProviders.finish(...attempt)),
    },
    drawReport: tracing.around('report.draw', drawReport),
  }
}
