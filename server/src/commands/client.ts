import { readFile } from 'node:fs/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'
import { addClient, blockClient, listClients, removeClient, rotateSecret } from '../oauth/manage-clients.ts'
import type { ListedClient } from '../oauth/manage-clients.ts'
import { scopeNames, scopesOf } from '../http/scope-names.ts'
import { scopes } from '../http/scope.ts'
import type { Scope } from '../http/scope.ts'
import { descriptions } from './descriptions.ts'
import { operatorCommand, operatorOf } from './operator.ts'
import type { OperatorOptions } from './operator.ts'
import {
  createCommand,
  CommandError,
  parseLabel,
  parseWebAddress,
  printResult,
  withDatabase,
} from './program.ts'
import { fieldLines, table } from './table.ts'

interface AddOptions {
  name: string
  publisher: string
  url: string
  contact: string
  redirectUri?: string[]
  scope: Scope[][]
  auth?: Auth
  public?: boolean
  jwks?: string
  json?: boolean
}

const ways = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const
type Auth = (typeof ways)[number]

const collected =
  <Value>(parse: (text: string) => Value) =>
  (text: string, before: Value[] = []) => [...before, parse(text)]

/** Our scopes that a name means. Those of SMART that are no data need not be given: every service that asks parents may have them. */
function scope(text: string): Scope[] {
  if (!scopeNames.includes(text))
    throw new InvalidArgumentError(
      `must be one of ${scopes.join(', ')}, or a name of SMART App Launch such as patient/Observation.rs`,
    )
  return scopesOf([text])
}

const LOOPBACK = /^(127\.0\.0\.1|\[::1\])$/

/** Where a service may be answered: over TLS, on the same machine, or by an app's own scheme (RFC 8252). */
function redirectUri(text: string): string {
  const url = URL.parse(text)
  const isSafe =
    url?.protocol === 'https:' ||
    (url?.protocol === 'http:' && LOOPBACK.test(url.hostname)) ||
    /^[a-z][\w+-]*(\.[\w+-]+)+:$/.test(url?.protocol ?? '')
  if (!isSafe || text.includes('#') || text.includes('*'))
    throw new InvalidArgumentError(
      'must be https://…, http://127.0.0.1/…, or start with a scheme such as org.example.app:, and have no fragment',
    )
  return text
}

function email(text: string): string {
  if (!z.email().safeParse(text).success) throw new InvalidArgumentError('must be an e-mail address')
  return text
}

const keySet = z.object({
  keys: z.array(z.looseObject({ kty: z.enum(['RSA', 'EC', 'OKP']), d: z.never().optional() })).min(1),
})

async function readKeys(file: string): Promise<z.infer<typeof keySet>> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new CommandError(`${file} cannot be read`)
  })
  try {
    return keySet.parse(JSON.parse(text))
  } catch {
    throw new CommandError(
      `${file} is not a set of public keys: {"keys": […]}, without the private part \`d\``,
    )
  }
}

const add = createCommand(
  'add',
  'add a service that may ask parents for their consent',
  'client add --name "Sleep study" --publisher "University Hospital" --url https://study.example.org --contact study@example.org --redirect-uri https://study.example.org/connected --scope child:read --scope usage:read',
)
  .requiredOption('--name <name>', 'how parents know it', parseLabel(60))
  .requiredOption('--publisher <name>', 'who offers it', parseLabel(60))
  .requiredOption('--url <url>', 'where it presents itself', parseWebAddress)
  .requiredOption('--contact <email>', 'e-mail for failure notices', email)
  .option(
    '--redirect-uri <uri>',
    'where a parent comes back to; may be repeated, and left out for a service that never asks',
    collected(redirectUri),
  )
  .requiredOption(
    '--scope <scope>',
    `what it may ask for; may be repeated: ${scopes.join(', ')}, or a name of SMART App Launch such as patient/Observation.rs`,
    collected(scope),
  )
  .addOption(
    new Option(
      '--auth <way>',
      'how it says who it is: client_secret_basic unless --public or --jwks is given',
    ).choices(ways),
  )
  .option('--public', 'it cannot keep a secret, such as an app on a phone')
  .option('--jwks <file>', 'its public keys (JSON Web Key Set): it signs with its own key and gets no secret')
  .action(async ({ json, jwks, redirectUri: redirect_uris = [], scope: asked, ...given }: AddOptions) => {
    const { auth } = given
    const meant = scopes.filter((each) => asked.flat().includes(each))
    if (meant.every((each) => each === 'offline_access'))
      throw new CommandError('--scope must name what the service wants to reach')
    const is_public = given.public === true || auth === 'none'
    if (is_public && jwks !== undefined) throw new CommandError('Choose --public or --jwks')
    if (auth === 'private_key_jwt' && jwks === undefined)
      throw new CommandError('--auth private_key_jwt needs --jwks')
    if (
      auth !== undefined &&
      (is_public ? auth !== 'none' : jwks !== undefined && auth !== 'private_key_jwt')
    )
      throw new CommandError(`--auth ${auth} does not go with --${is_public ? 'public' : 'jwks'}`)
    if (is_public && redirect_uris.length === 0) throw new CommandError('--public needs a --redirect-uri')
    const keys = jwks === undefined ? null : await readKeys(jwks)
    const { name, publisher, url, contact } = given
    const made = await withDatabase(({ database }) =>
      database.transaction((sql) =>
        addClient(sql, {
          name,
          publisher,
          url,
          contact,
          redirect_uris,
          scopes: meant,
          is_public,
          is_secret_in_body: auth === 'client_secret_post',
          jwks: keys,
        }),
      ),
    )
    const once = made.client_secret === undefined ? '' : '\nThe secret is not shown again.'
    printResult(made, json === undefined ? {} : { json }, `${fieldLines({ ...made })}${once}`)
  })

const noClient = () => new CommandError('There is no client with this id')

const list = createCommand('list', 'list the services, newest first', 'client list').action(
  async (options: { json?: boolean }) => {
    const clients = await withDatabase(({ database }) => listClients(database.sql))
    printResult(clients, options, clientTable(clients))
  },
)

const clientTable = (clients: readonly ListedClient[]) =>
  table(
    ['client', 'name', 'publisher', 'scopes', 'grants', 'blocked', 'created'],
    clients.map((each) => [
      each.client_id,
      each.name,
      each.publisher,
      each.scopes.join(' '),
      each.grants,
      each.blocked_at,
      each.created_at,
    ]),
    'There is no client',
  )

const show = createCommand('show', 'show one service', 'client show CLIENT_ID')
  .argument('<client-id>')
  .action(async (clientId: string, options: { json?: boolean }) => {
    const [client] = await withDatabase(({ database }) => listClients(database.sql, clientId))
    if (!client) throw noClient()
    const { redirect_uris, scopes: asked, is_public, is_secret_in_body: isPosted, ...rest } = client
    printResult(
      client,
      options,
      fieldLines({
        ...rest,
        kind: is_public ? 'public' : `confidential${isPosted ? ', its secret comes in the body' : ''}`,
        redirect_uris: redirect_uris.join(' '),
        scopes: asked.join(' '),
      }),
    )
  })

const blocking = (name: 'block' | 'unblock', description: string) =>
  createCommand(name, description, `client ${name} CLIENT_ID`)
    .argument('<client-id>')
    .action(async (clientId: string, options: { json?: boolean }) => {
      const blocked = name === 'block'
      const isFound = await withDatabase(({ database }) => blockClient(database.sql, clientId, blocked))
      if (!isFound) throw noClient()
      printResult(
        { client_id: clientId, blocked },
        options,
        `Client ${clientId} is ${blocked ? 'blocked' : 'not blocked'}`,
      )
    })

/** Seconds of an ISO 8601 duration of days, hours and minutes, up to 30 days. */
function overlap(text: string): number {
  const [, days = 0, hours = 0, minutes = 0] = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?)?$/.exec(text) ?? []
  const seconds = Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60
  if (!(seconds > 0 && seconds <= 30 * 86_400))
    throw new InvalidArgumentError('must be a duration such as PT24H or P2D, of at most 30 days')
  return seconds
}

const rotate = createCommand(
  'rotate-secret',
  'give a service another secret; the old one is good for a day more',
  'client rotate-secret CLIENT_ID --overlap PT24H',
)
  .argument('<client-id>')
  .addOption(
    new Option('--overlap <duration>', 'for how long both secrets are good (PT24H)')
      .argParser(overlap)
      .conflicts('leaked'),
  )
  .option('--leaked', 'somebody else knows it: it ends at once, and so does every token of the service')
  .action(async (clientId: string, options: { overlap?: number; leaked?: boolean; json?: boolean }) => {
    const rotation = options.leaked === true ? 'leaked' : { overlapSeconds: options.overlap ?? 86_400 }
    const rotated = await withDatabase(({ database }) =>
      database.transaction((sql) => rotateSecret(sql, clientId, rotation)),
    )
    if (!rotated) throw new CommandError('There is no client with this id and a secret')
    const made = { client_id: clientId, ...rotated }
    printResult(made, options, `${fieldLines(made)}\nThe secret is not shown again.`)
  })

const remove = operatorCommand('remove', 'remove a service; all grants for it end', 'client remove CLIENT_ID')
  .argument('<client-id>')
  .action(async (clientId: string, options: OperatorOptions) => {
    const isFound = await withDatabase(({ database }) =>
      database.transaction((sql) => removeClient(sql, clientId, operatorOf(options))),
    )
    if (!isFound) throw noClient()
    printResult({ client_id: clientId, removed: true }, options, `Client ${clientId} is removed`)
  })

export const clientCommand = new Command('client')
  .description(descriptions.client)
  .addCommand(add)
  .addCommand(list)
  .addCommand(show)
  .addCommand(blocking('block', 'block a service: its tokens are worth nothing meanwhile'))
  .addCommand(blocking('unblock', 'lift the block of a service'))
  .addCommand(rotate)
  .addCommand(remove)
