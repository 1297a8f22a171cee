import { readFileSync, statSync } from 'node:fs'
import { isIP, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { checkServerIdentity, connect as connectTls, createSecureContext, getCACertificates } from 'node:tls'
import type { SecureContext } from 'node:tls'
import { Client, Connection } from 'pg'
import type { ClientConfig } from 'pg'
import type { DatabaseAddress, DatabaseTls } from '../config/database-address.ts'

// What `pg` (lib/connection.js) has beyond its declared types.
declare module 'pg' {
  interface Connection {
    attachListeners(stream: Duplex): void
  }
}

/** The message by which a client asks for TLS (PostgreSQL documentation, "Message Formats"). */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
const [YES, NO] = ['S', 'N']
/** Of a server that lets nobody in who comes by this way: "no pg_hba.conf entry". */
const REFUSED = 'C28000\0'

/** The server, or its database, is not as it must be. The message is told to operators. */
export class DatabaseRequirementError extends Error {
  override name = 'DatabaseRequirementError'
  code = 'DATABASE_REQUIREMENT'
}

interface Target extends Pick<DatabaseAddress, 'tls' | 'channelBinding' | 'keepAlive' | 'keepAliveSeconds'> {
  context: () => SecureContext
}

/**
 * Agrees on encryption with the server as libpq does. `pg` itself knows TLS or none, sends the first message before it has
 * verified the certificate, and compares the certificate of an IP address with "localhost".
 */
class NegotiatedConnection extends Connection {
  readonly #target: Target
  #encrypts: boolean
  /** Whether, if the server refuses this way, the other one is tried: `allow` and `prefer`. */
  #mayTurn: boolean
  #socket: Socket

  constructor(target: Target) {
    const socket = new Socket()
    super({ stream: () => socket })
    this.#target = target
    this.#socket = socket
    const { mode } = target.tls
    this.#encrypts = mode !== 'disable' && mode !== 'allow'
    this.#mayTurn = mode === 'allow' || mode === 'prefer'
  }

  /** By port and host, or by the path of a socket. */
  connect(...place: [number, string] | [string]): void {
    Reflect.set(this, '_connecting', true)
    const socket = this.#socket
    const isCurrent = () => socket === this.#socket
    socket.setNoDelay(true)
    socket.on('error', (error) => isCurrent() && this.#report(error))
    socket.on('close', () => isCurrent() && this.emit('end'))
    socket.once('connect', () => {
      const { keepAlive, keepAliveSeconds, tls } = this.#target
      if (keepAlive) socket.setKeepAlive(true, 1000 * keepAliveSeconds)
      if (!this.#encrypts) this.#begin(socket, place)
      else if (tls.isDirect) this.#secure(place)
      else {
        socket.write(SSL_REQUEST)
        // A response of more than one byte was put there by somebody else (CVE-2021-23222).
        socket.once('data', (response) => this.#continue(String(response), place))
      }
    })
    if (place.length === 1) socket.connect({ path: place[0] })
    else socket.connect({ port: place[0], host: place[1] })
  }

  #continue(response: string, place: [number, string] | [string]): void {
    if (response === YES) return this.#secure(place)
    const { mode } = this.#target.tls
    if (response === NO && this.#mayTurn) {
      this.#mayTurn = false
      return this.#begin(this.#socket, place)
    }
    this.#report(new DatabaseRequirementError(`it offers no TLS, which sslmode=${mode} demands`))
    this.#socket.destroy()
  }

  #secure(place: [number, string] | [string]): void {
    const { tls, context } = this.#target
    const [, host = ''] = place
    const isVerified = tls.mode === 'verify-ca' || tls.mode === 'verify-full'
    let secure: ReturnType<typeof connectTls>
    try {
      secure = connectTls({
        socket: this.#socket,
        secureContext: context(),
        rejectUnauthorized: isVerified,
        checkServerIdentity: (_name, certificate) =>
          tls.mode === 'verify-full' ? checkServerIdentity(host, certificate) : undefined,
        ...(isIP(host) === 0 && { servername: host }),
        ...(tls.isDirect && { ALPNProtocols: ['postgresql'] }),
      })
    } catch (error) {
      // A file of the address is gone or unreadable since the start.
      this.#report(error instanceof Error ? error : new Error(String(error)))
      this.#socket.destroy()
      return
    }
    Object.assign(this, { stream: secure })
    secure.on('error', (error) => this.#report(error))
    // Nothing is sent to a server before its certificate is verified.
    secure.once('secureConnect', () => this.#begin(secure, place))
  }

  /** Tells the client that it may send its first message. */
  #begin(stream: Duplex, place: [number, string] | [string]): void {
    const isBound = this.#target.channelBinding === 'require'
    if (!this.#mayTurn && !isBound) this.attachListeners(stream)
    else
      stream.once('data', (first: Buffer) => {
        if (this.#mayTurn && first.includes(REFUSED)) return this.#turn(place)
        if (isBound && !first.includes('SCRAM-SHA-256-PLUS') && first[0] !== 'E'.charCodeAt(0)) {
          this.#report(
            new DatabaseRequirementError(
              'it does not bind the password to its certificate (channel_binding=require)',
            ),
          )
          this.#socket.destroy()
          return
        }
        this.#mayTurn = false
        this.attachListeners(stream)
        stream.unshift(first)
      })
    if (isBound) this.#demandProof()
    this.emit('connect')
  }

  /** Refuses a server that lets in without the proof that it knows the password. */
  #demandProof(): void {
    let isProven = false
    this.once('authenticationSASLFinal', () => (isProven = true))
    this.once('authenticationOk', () => {
      if (isProven) return
      this.#report(
        new DatabaseRequirementError(
          'it does not prove that it knows the password (channel_binding=require)',
        ),
      )
      this.#socket.destroy()
    })
  }

  /** Begins again, with TLS if it was without, and the other way round. */
  #turn(place: [number, string] | [string]): void {
    const before = this.#socket
    this.#mayTurn = false
    this.#encrypts = !this.#encrypts
    this.#socket = new Socket()
    Object.assign(this, { stream: this.#socket })
    before.destroy()
    this.connect(...place)
  }

  #report(error: Error): void {
    const isOfTheEnd = /^(ECONNRESET|EPIPE)$/.test(String(Reflect.get(error, 'code')))
    if (!Reflect.get(this, '_ending') || !isOfTheEnd) this.emit('error', error)
  }
}

const text = (file: string | undefined) => (file === undefined ? undefined : readFileSync(file, 'utf8'))

/** The files of an address as OpenSSL takes them; read again when they change, as short-lived certificates do. */
function secureContexts(tls: DatabaseTls): () => SecureContext {
  let read: { stamp: string; context: SecureContext } | undefined
  return () => {
    const isSystem = tls.root === 'system'
    const files = [isSystem ? undefined : tls.root, tls.certificate, tls.key, tls.revoked]
    const stamp = files.map((file) => file && statSync(file).mtimeMs).join()
    if (read?.stamp === stamp) return read.context
    const [ca, cert, key, crl] = files.map(text)
    const context = createSecureContext({
      ca: isSystem ? getCACertificates('system') : ca,
      cert,
      key,
      crl,
      passphrase: tls.keyPassword,
      minVersion: tls.minVersion,
      maxVersion: tls.maxVersion,
    })
    read = { stamp, context }
    return context
  }
}

/** The client of `pg` that connects as `address` demands. A pool hands it where, which may be another host than that of `address`. */
export function createClientClass(address: DatabaseAddress): new (config?: ClientConfig) => Client {
  const target = { ...address, context: secureContexts(address.tls) }
  // By a function: `pg` would take an empty one from the environment or from ~/.pgpass.
  const password = () => address.password ?? ''
  return class extends Client {
    constructor(config: ClientConfig = {}) {
      const own = { ...config, password, connection: new NegotiatedConnection(target) }
      super(own)
    }
  }
}
