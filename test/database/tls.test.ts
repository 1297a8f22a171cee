import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '@companion/server/database/database.ts'
import { hasNoOpenssl, issue } from '../support/machines/certificates.ts'
import type { Issued } from '../support/machines/certificates.ts'
import { companion } from '../support/command.ts'
import { TEST_SECRET } from '../support/server.ts'
import { startServiceProcess } from '../support/service-process.ts'
import { startTlsPostgres } from '../support/machines/tls-postgres.ts'
import type { TlsPostgres } from '../support/machines/tls-postgres.ts'
import { until } from '../support/until.ts'

const hasNoIpv6 = !Object.values(networkInterfaces()).some((each) =>
  each?.some(({ family }) => family === 'IPv6'),
)

/* The way to the database: sslmode and its like, as libpq understands them. */
describe.skipIf(hasNoOpenssl && !process.env['CI'])('the way to the database', () => {
  let postgres: TlsPostgres
  beforeAll(async () => {
    postgres = await startTlsPostgres()
  })
  afterAll(() => postgres?.stop())

  interface Way {
    ssl: boolean
    version: string | null
    name: string
    work_mem: string
  }

  async function wayOf(url: string): Promise<Way | undefined> {
    const database = await openDatabase(url, { pool: 1 })
    try {
      const { rows } = await database.pool.query<Way>(
        `SELECT ssl, version, current_setting('application_name') AS name, current_setting('work_mem') AS work_mem
         FROM pg_stat_ssl WHERE pid = pg_backend_pid()`,
      )
      return rows[0]
    } finally {
      await database.close()
    }
  }

  const verified = () => ({ sslmode: 'verify-full', sslrootcert: postgres.root.certificate })
  const migrate = (parameters: Record<string, string>) =>
    companion({ databaseUrl: postgres.url(parameters) }, 'migrate')

  test.each([
    ['disable', false],
    ['allow', false],
    ['prefer', true],
    ['require', true],
    ['verify-ca', true],
    ['verify-full', true],
  ])('sslmode=%s encrypts: %s', async (sslmode, ssl) => {
    const root = sslmode.startsWith('verify') ? { sslrootcert: postgres.root.certificate } : {}
    expect(await wayOf(postgres.url({ sslmode, ...root }))).toMatchObject({ ssl })
  })

  test('without sslmode, and by allow and prefer, the way is taken that the server lets in', async () => {
    expect(await wayOf(postgres.url({}))).toMatchObject({ ssl: true })
    expect(await wayOf(postgres.url({ user: 'only_tls', sslmode: 'allow' }))).toMatchObject({ ssl: true })
    expect(await wayOf(postgres.url({ user: 'only_plain', sslmode: 'prefer' }))).toMatchObject({ ssl: false })
    const { code, said } = await migrate({ user: 'only_tls', sslmode: 'disable' })
    expect({ code, said }).toEqual({
      code: 1,
      said: expect.stringMatching(
        /^The database at localhost:\d+ cannot be used: it lets this user in by TLS alone: add sslmode=verify-full \(DATABASE_URL\)\n$/,
      ),
    })
  })

  test('further parameters are used: TLS at once, its versions, name, options, channel binding', async () => {
    const all = {
      ...verified(),
      sslnegotiation: 'direct',
      ssl_max_protocol_version: 'TLSv1.2',
      application_name: 'night shift',
      options: '-c work_mem=7MB',
      channel_binding: 'require',
      connect_timeout: '9',
    }
    expect(await wayOf(postgres.url(all))).toEqual({
      ssl: true,
      version: 'TLSv1.2',
      name: 'night shift',
      work_mem: '7MB',
    })
  })

  test('a certificate of this side signs in', async () => {
    const own = await issue(postgres.root, postgres.directory, 'by_certificate', {})
    const signed = { sslcert: own.certificate, sslkey: own.key }
    expect(await wayOf(postgres.url({ user: 'by_certificate', ...verified(), ...signed }))).toMatchObject({
      ssl: true,
    })
    const { code, said } = await migrate({ user: 'by_certificate', ...verified() })
    expect({ code, said }).toEqual({
      code: 1,
      said: expect.stringContaining('it refuses this user: connection requires a valid client certificate'),
    })
  })

  test('a socket needs no password and no TLS', async () => {
    const { port, pathname } = new URL(postgres.url({}))
    const folder = encodeURIComponent(join(postgres.directory, 'shown'))
    for (const url of [
      `postgres://companion@${folder}:${port}${pathname}`,
      `postgres://companion@/${pathname.slice(1)}?host=${folder}&port=${port}&sslmode=require`,
    ])
      expect(await wayOf(url)).toMatchObject({ ssl: false })
  })

  test.skipIf(hasNoIpv6)('an IPv6 address is one', async () => {
    expect(await wayOf(postgres.url({ host: '[::1]', sslmode: 'require' }))).toMatchObject({ ssl: true })
  })

  test('service, replica and commands are encrypted, all of their connections', async () => {
    await postgres.admin.pool.query('CREATE DATABASE encrypted')
    const url = (parameters: Record<string, string> = {}) =>
      postgres.url({ ...verified(), ...parameters }, 'encrypted')
    const directory = await mkdtemp(join(tmpdir(), 'companion-tls-service-'))
    const environment = {
      DATABASE_URL: url(),
      DATABASE_REPLICA_URLS: url({ application_name: 'replica' }),
      TOKEN_SECRET: TEST_SECRET,
    }
    const service = await startServiceProcess(directory, environment)
    await service.readiness(200)
    const beside = await openDatabase(url(), { replicas: [url({ application_name: 'replica' })] })
    await beside.offload((snapshot) => snapshot(async () => undefined))
    const command = await companion({ databaseUrl: url() }, 'device', 'list', '--json')
    expect(command).toMatchObject({ code: 0, result: [] })
    const { rows } = await postgres.admin.pool.query(
      `SELECT application_name AS name, bool_and(s.ssl) AS ssl, count(*)::int AS connections
       FROM pg_stat_ssl s JOIN pg_stat_activity USING (pid) WHERE datname = 'encrypted' GROUP BY 1 ORDER BY 1`,
    )
    expect(rows).toEqual([
      { name: 'companion', ssl: true, connections: expect.any(Number) },
      { name: 'replica', ssl: true, connections: 1 },
    ])
    await beside.close()
    service.terminate()
    expect(await service.exited).toBe(0)
    const authorized = (await postgres.log())
      .split('\n')
      .filter((line) => line.includes('connection authorized') && line.includes('database=encrypted'))
    expect(authorized.length).toBeGreaterThan(5)
    expect(authorized.filter((line) => !line.includes('SSL enabled'))).toEqual([])
    await rm(directory, { recursive: true })
  })

  describe('a certificate that is not right', () => {
    const refusedFor = (reason: RegExp) => ({
      code: 1,
      out: '',
      said: expect.stringMatching(
        new RegExp(String.raw`^The database at \S+:\d+ cannot be used: ${reason.source} \(DATABASE_URL\)\n$`),
      ),
    })
    const signedInto = async () =>
      (await postgres.log()).split('\n').filter((line) => line.includes('connection authenticated')).length

    test.each(['verify-ca', 'verify-full', 'require'])(
      'of another root is refused by %s',
      async (sslmode) => {
        const before = await signedInto()
        const { certificate } = postgres.otherRoot
        expect(await migrate({ sslmode, sslrootcert: certificate })).toMatchObject(
          refusedFor(/its certificate is signed by no root of sslrootcert=\S+other-root\.crt/),
        )
        expect(await migrate({ sslmode: 'verify-full' })).toMatchObject(
          refusedFor(/its certificate is signed by no root that this machine trusts: .*/),
        )
        expect(await signedInto()).toBe(before)
      },
    )

    test('for another host is refused by verify-full alone', async () => {
      const host = '127.0.0.1'
      expect(await migrate({ ...verified(), host })).toMatchObject(
        refusedFor(/its certificate is not for 127\.0\.0\.1, but for localhost/),
      )
      expect(await wayOf(postgres.url({ ...verified(), host, sslmode: 'verify-ca' }))).toMatchObject({
        ssl: true,
      })
      await postgres.show(
        await issue(postgres.root, postgres.directory, 'elsewhere', { names: 'DNS:db.example.com' }),
      )
      await until(async () => (await migrate(verified())).said.includes('but for db.example.com'))
      await postgres.show(
        await issue(postgres.root, postgres.directory, 'numbered', { names: 'IP:127.0.0.1,DNS:localhost' }),
      )
      await until(() =>
        wayOf(postgres.url({ ...verified(), host })).then(
          (way) => way?.ssl,
          () => false,
        ),
      )
    })

    test('that has expired is refused', async () => {
      const names = 'DNS:localhost'
      await postgres.show(await issue(postgres.root, postgres.directory, 'old', { names, isExpired: true }))
      await until(async () => (await migrate(verified())).said.includes('its certificate has expired'))
      const before = await signedInto()
      expect(await migrate(verified())).toMatchObject(refusedFor(/its certificate has expired/))
      const service = startServiceProcess(join(tmpdir(), 'companion-no-data'), {
        DATABASE_URL: postgres.url(verified()),
        TOKEN_SECRET: TEST_SECRET,
      })
      const { exited, log } = await service
      expect(await exited).toBe(1)
      expect(log()).toContain('its certificate has expired')
      expect(await signedInto()).toBe(before)
      await postgres.show(postgres.certificate)
      await until(async () => (await migrate(verified())).code === 0)
    })

    test('gets nothing of what a client says', async () => {
      const wrong = await issue(postgres.root, postgres.directory, 'wrong', { names: 'DNS:other' })
      const front = await listenWith(wrong)
      const url = `postgres://companion:secret@localhost:${front.port}/companion?sslmode=verify-full&sslrootcert=${postgres.root.certificate}`
      expect(await companion({ databaseUrl: url }, 'migrate')).toMatchObject(
        refusedFor(/its certificate is not for localhost, but for other/),
      )
      expect(front.heard()).toEqual([])
      const database = await openDatabase(url.replace('verify-full', 'verify-ca'))
      await expect(database.pool.query('SELECT')).rejects.toThrow(/terminated|ECONNRESET/)
      await database.close()
      // So it would have heard a client that does not look at the name.
      expect(front.heard()[0]).toContain('user\0companion\0')
      await front.stop()
    })
  })

  test('a server that offers no TLS is refused, and one that binds no password', async () => {
    const plain = await listenWith(undefined)
    const url = `postgres://companion:secret@localhost:${plain.port}/companion`
    expect(await companion({ databaseUrl: `${url}?sslmode=require` }, 'migrate')).toMatchObject({
      code: 1,
      said: `The database at localhost:${plain.port} cannot be used: it offers no TLS, which sslmode=require demands (DATABASE_URL)\n`,
    })
    expect(plain.heard()).toEqual([])
    await plain.stop()
    const encrypted = await listenWith(postgres.certificate)
    const bound = `postgres://companion:secret@localhost:${encrypted.port}/companion?sslmode=require&channel_binding=require`
    expect((await companion({ databaseUrl: bound }, 'migrate')).said).toContain(
      'it does not bind the password to its certificate (channel_binding=require)',
    )
    await encrypted.stop()
  })
})

/** Something that answers like PostgreSQL up to the first message, by TLS if it has a certificate, and then asks for the password. */
async function listenWith(certificate: Issued | undefined) {
  const heard: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write(certificate ? 'S' : 'N')
      if (!certificate) {
        socket.on('data', (bytes) => heard.push(String(bytes)))
        return
      }
      const secure = new TLSSocket(socket, {
        isServer: true,
        cert: readFileSync(certificate.certificate),
        key: readFileSync(certificate.key),
      })
      secure.on('error', () => undefined)
      secure.on('data', (bytes) => {
        heard.push(String(bytes))
        // AuthenticationCleartextPassword, then the end.
        secure.end(Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 3]))
      })
    })
  }).listen(0, 'localhost')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' ? address?.port : undefined,
    heard: () => heard,
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}
