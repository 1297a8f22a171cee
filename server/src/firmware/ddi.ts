import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestHandler } from 'express'
import type { Logger } from 'pino'
import { statement } from '../database/statement.ts'
import { deviceKeyHash } from '../devices/device-key.ts'
import type { DeviceAndWearer } from '../devlogs/device-call.ts'
import { Failure } from '../errors/failure.ts'
import { generic, tokenErrors } from '../errors/generic.ts'
import { readJsonBody } from '../http/body/read-body.ts'
import { receiveBody } from '../http/body/receive-body.ts'
import type { Context } from '../http/context.ts'
import { errorResponder } from '../http/error-response.ts'
import { LARGEST_ID, uniqueIdField } from '../http/fields.ts'
import type { Forwarded } from '../http/forwarded.ts'
import { sendJson } from '../http/json-response.ts'
import { splitRequestTarget } from '../http/request.ts'
import type { CreateContext } from '../http/request.ts'
import { knownDevice, unknownDevice } from './asking-device.ts'
import { feedbackFields, reportOf } from './ddi-feedback.ts'
import type { FirmwareFiles } from './files.ts'
import { imageOperation, imageResponse, notOffered } from './image-response.ts'
import { askByKey } from './offer.ts'
import type { DeviceOffer, OfferedFirmware, WithProof } from './offer.ts'
import { keepReport, neverOffered } from './outcome.ts'

/*
 * hawkBit's Direct Device Integration API (https://eclipse.dev/hawkbit/apis/ddi_api/), as far as the clients need it that are there
 * (SWUpdate, RAUC, Zephyr): the same releases, offered by the same rule as by the calls of this service.
 */

/** The one tenant. */
const TENANT = 'DEFAULT'
/** How long a client pauses between two questions, as `HH:MM:SS`. */
const PAUSE = '00:05:00'
const HAL = 'application/hal+json; charset=utf-8'
const MOST_CONFIG_BYTES = 100_000

interface Call {
  request: IncomingMessage
  ctx: Context
  /** The address of the device here. */
  base: string
  uniqueId: string
  /** Of the key that the device has shown. */
  keyHash: Buffer
  /** Names the device and its wearer for the trail. */
  concerns: (found: DeviceAndWearer) => void
}

interface Route {
  method: 'GET' | 'POST' | 'PUT'
  operation: 'ddi.check' | 'ddi.download' | 'ddi.report' | 'ddi.configData'
  answer: (call: Call) => Promise<SendResponse>
}

/** Sends what a call is answered. */
type SendResponse = (response: ServerResponse) => Promise<void> | void

/** What is served below the address of a device. */
function routeOf(path: string): Route | undefined {
  if (path === '') return { method: 'GET', operation: 'ddi.check', answer: check }
  if (path === '/configData') return { method: 'PUT', operation: 'ddi.configData', answer: takeConfigData }
  const [, feedbackOn] = /^\/deploymentBase\/(\d{1,10})\/feedback$/.exec(path) ?? []
  if (feedbackOn !== undefined)
    return { method: 'POST', operation: 'ddi.report', answer: (call) => report(call, Number(feedbackOn)) }
  const [, deployed] = /^\/deploymentBase\/(\d{1,10})$/.exec(path) ?? []
  if (deployed !== undefined)
    return { method: 'GET', operation: 'ddi.check', answer: (call) => deployment(call, Number(deployed)) }
  const [, loaded, named] =
    /^\/softwaremodules\/(\d{1,10})\/artifacts\/firmware-(\d{1,10})\.(?:swu|bin)$/.exec(path) ?? []
  if (loaded !== undefined && loaded === named)
    return { method: 'GET', operation: 'ddi.download', answer: (call) => download(call, Number(loaded)) }
  return undefined
}

const ADDRESS = new RegExp(String.raw`^/${TENANT}/controller/v1/([^/]+)(/.*)?$`)

/** Lets clients of hawkBit ask for firmware, load it and report, each with the key of its device. Errors are `{detail}`. */
export function directDeviceIntegration(
  createContext: CreateContext,
  forwarded: Pick<Forwarded, 'originOf'>,
  log: Logger,
): RequestHandler {
  const sendError = errorResponder(log, forwarded)
  return async (request, response, next) => {
    const { path } = splitRequestTarget(request)
    const [, named, below = ''] = ADDRESS.exec(path) ?? []
    if (named === undefined) return next()
    try {
      const route = routeOf(below)
      if (!route) throw new Failure(...generic.notFound)
      if (request.facts) request.facts.operation = route.operation
      const allow = route.method === 'GET' ? ['GET', 'HEAD', 'OPTIONS'] : [route.method, 'OPTIONS']
      const method = request.method ?? ''
      if (method === 'OPTIONS') return void response.writeHead(204, { allow: allow.join(', ') }).end()
      if (!allow.includes(method))
        throw new Failure(...generic.methodNotAllowed, { headers: { allow: allow.join(', ') } })
      const ctx = createContext(request, response, 'rest')
      const { data: uniqueId } = uniqueIdField.safeParse(named)
      if (uniqueId === undefined) throw new Failure(...unknownDevice)
      const send = await onTrail(ctx, route, (concerns) =>
        route.answer({
          request,
          ctx,
          base: `${forwarded.originOf(request)}/${TENANT}/controller/v1/${uniqueId}`,
          uniqueId,
          keyHash: deviceKeyHash(keyShown(request)),
          concerns,
        }),
      )
      await send(response)
    } catch (error) {
      sendError(error, request, response)
    }
  }
}

/** Puts a call on the trail, once it is known whose device it is. */
async function onTrail(
  ctx: Context,
  { operation, method }: Route,
  answer: (concerns: Call['concerns']) => Promise<SendResponse>,
): Promise<SendResponse> {
  let worn: DeviceAndWearer | undefined
  const note = (outcome: string) => {
    if (!worn || worn.real_user_id === null) return
    const { device_id: id, real_user_id: realUserId } = worn
    const isChange = method === 'POST' && outcome === 'ok'
    ctx.trail.note(ctx, { actor: { kind: 'device', id }, operation, realUserId, outcome, isChange })
  }
  try {
    const send = await answer((found) => {
      worn = found
    })
    note('ok')
    return send
  } catch (error) {
    if (!(error instanceof Failure)) note('500')
    else if (error.status !== 429) note(`${error.status} ${error.detail}`)
    throw error
  }
}

const refused = () => new Failure(...tokenErrors[0], { headers: { 'www-authenticate': 'TargetToken' } })

/** The key in `Authorization: TargetToken …`. Throws 401 without one. */
function keyShown({ headers }: IncomingMessage): string {
  const [, key] = /^TargetToken +([\w-]{1,100})$/i.exec(headers.authorization ?? '') ?? []
  if (key === undefined) throw refused()
  return key
}

/** The device that calls, once it has proven its key. Throws 401, 404 or 429. */
async function proven<Found extends DeviceAndWearer & WithProof>(
  { ctx, uniqueId, concerns }: Call,
  find: () => Promise<Found | undefined>,
): Promise<Found> {
  const device = await knownDevice(ctx, uniqueId, find)
  concerns(device)
  if (!device.is_proven) throw refused()
  return device
}

const asked = (call: Call): Promise<DeviceOffer & WithProof> => {
  const { ctx, uniqueId, keyHash } = call
  return proven(call, () => askByKey(ctx.database, uniqueId, { timeZone: ctx.timeZone, keyHash }))
}

const selectByKey = statement<DeviceAndWearer & WithProof>(
  'device-by-key',
  `SELECT id AS device_id, real_user_id, coalesce(ddi_key_hash = $2, false) AS is_proven FROM device WHERE unique_id = $1`,
)

const calling = (call: Call): Promise<DeviceAndWearer> => {
  const { ctx, uniqueId, keyHash } = call
  return proven(call, async () => (await ctx.database.query(selectByKey, [uniqueId, keyHash]))[0])
}

const hal =
  (body: object): SendResponse =>
  (response) =>
    sendJson(response, 200, body, HAL)

const done: SendResponse = (response) => void response.writeHead(200, { 'content-length': 0 }).end()

/**
 * What there is to do. A client sends its attributes (`configData`) whenever it is asked to, and some load nothing before: so it is
 * asked only while nothing is offered.
 */
async function check(call: Call): Promise<SendResponse> {
  const { firmware_id } = await asked(call)
  const { base } = call
  const links =
    firmware_id === null
      ? { configData: { href: `${base}/configData` } }
      : { deploymentBase: { href: `${base}/deploymentBase/${firmware_id}` } }
  return hal({ config: { polling: { sleep: PAUSE } }, _links: links })
}

/** The firmware of that number, if it is offered. */
async function offered(call: Call, firmwareId: number): Promise<OfferedFirmware & { device_id: number }> {
  const device = await asked(call)
  if (device.firmware_id === null || device.firmware_id !== firmwareId) throw new Failure(...notOffered)
  return device
}

async function deployment(call: Call, firmwareId: number): Promise<SendResponse> {
  const firmware = await offered(call, firmwareId)
  const { base, ctx } = call
  const { version, hardware, size, sha256, manifest } = firmware
  const { sha1, filename } = await artifactOf(ctx.firmwareFiles, firmware)
  const link = { href: `${base}/softwaremodules/${firmwareId}/artifacts/${filename}` }
  const artifact = {
    filename,
    hashes: { sha1, sha256: sha256.toString('hex') },
    size,
    // Clients look for one or the other.
    _links: { download: link, 'download-http': link },
  }
  const chunk = {
    // The one that Zephyr takes.
    part: 'bApp',
    version,
    name: hardware,
    // Not an artifact: Zephyr and RAUC take exactly one.
    metadata: [{ key: 'manifest', value: manifest.toString('base64') }],
    artifacts: [artifact],
  }
  return hal({
    id: String(firmwareId),
    deployment: { download: 'forced', update: 'forced', chunks: [chunk] },
  })
}

/** How a cpio archive begins, which an update for SWUpdate is. */
const CPIO = '07070'

/** SWUpdate loads what is called `.swu`, and nothing else. */
async function artifactOf(
  files: FirmwareFiles,
  firmware: OfferedFirmware,
): Promise<{ sha1: string; filename: string }> {
  const image = await files.open(firmware)
  try {
    let start = ''
    for await (const piece of image.bytes(0, Math.min(CPIO.length, firmware.size) - 1))
      start += Buffer.from(piece).toString('latin1')
    return {
      sha1: image.sha1,
      filename: `firmware-${firmware.firmware_id}.${start === CPIO ? 'swu' : 'bin'}`,
    }
  } finally {
    await image.close()
  }
}

async function download(call: Call, firmwareId: number): Promise<SendResponse> {
  const firmware = await offered(call, firmwareId)
  const file = await imageResponse(call.ctx, firmware.device_id, firmware)
  return (response) => file.send(response, imageOperation.file)
}

async function report(call: Call, firmwareId: number): Promise<SendResponse> {
  const { device_id } = await calling(call)
  const { ctx, request } = call
  const parsed = feedbackFields.safeParse(await readJsonBody(request))
  if (!parsed.success) throw new Failure(400, 'Feedback is not valid')
  const isKept =
    firmwareId <= LARGEST_ID &&
    (await keepReport(ctx.database, device_id, { firmware_id: firmwareId, ...reportOf(parsed.data) }))
  if (!isKept) throw new Failure(...neverOffered)
  return done
}

/** Takes the attributes of a device, and keeps none: nothing here asks for them. */
async function takeConfigData(call: Call): Promise<SendResponse> {
  await calling(call)
  if (!(await receiveBody(call.request, MOST_CONFIG_BYTES))) throw new Failure(...generic.tooLarge)
  return done
}
