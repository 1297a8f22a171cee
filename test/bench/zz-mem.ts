import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openDatabase } from '@companion/server/database/database.ts'
import { openEmbeddedPostgres } from '@companion/server/database/embedded/open.ts'
import { hashPassword } from '@companion/server/auth/passwords.ts'
import { startEmbeddedService } from './embedded-service.ts'
import { load } from './load.ts'
import { residentMemory } from './process.ts'
const SECRET = 'a secret for measurements only, 32 bytes or more'
const TIMES = Number(process.env['TIMES'] ?? 20)
const ROWS = Number(process.env['ROWS'] ?? 1000000)
const directory = await mkdtemp('/dev/shm/tidy/companion-bench-')
const { chmod } = await import('node:fs/promises'); await chmod(directory, 0o755)
const embedded = await openEmbeddedPostgres({ directory, settings: { fsync: 'off', synchronous_commit: 'off' } })
const database = await openDatabase(embedded.url, { pool: 2 })
await database.migrate()
const { accounts } = await load(database, SECRET, '2026-03-01', { accounts: 2, nights: 3 })
await database.pool.query('UPDATE root_user SET password_hash = $1', [await hashPassword('correct horse battery', 'fast')])
await database.pool.query(`INSERT INTO basestation (serial_code, unique_id, root_user_id) VALUES ('B', gen_random_uuid(), 1)`)
await database.pool.query(`INSERT INTO sleep_reading SELECT (SELECT max(id) FROM basestation), 1, timestamp '2024-01-01' + n * interval '1 minute', 21.5 + n % 10, 45, 3, 30 FROM generate_series(1, $1::int) n`, [ROWS])
await database.pool.query('VACUUM ANALYZE')
await database.pool.query(`INSERT INTO basestation_connection (basestation_id, root_user_id, connected_at) SELECT id, 1, now() FROM basestation`)
const gc = process.env['GC'] === 'on'
const program = `process.on('SIGUSR2', () => { globalThis.gc?.(); setTimeout(() => { globalThis.gc?.(); const m = process.memoryUsage(); console.error('MEM ' + ['rss','heapTotal','heapUsed','external','arrayBuffers'].map((k) => k + ' ' + Math.round(m[k]/2**20)).join(' ')) }, 100) })`
const service = await startEmbeddedService({ DATABASE_URL: embedded.url, TOKEN_SECRET: SECRET, PASSWORD_HASHING: 'fast', NODE_OPTIONS: `${gc ? '--expose-gc ' : ''}--import data:text/javascript,${encodeURIComponent(program)}` })
try {
  console.log('start', await residentMemory(service.pid, 'VmRSS'))
  for (let n = 1; n <= TIMES; n += 1) {
    await database.pool.query(`DELETE FROM rate_limit`)
    await database.pool.query(`UPDATE root_user SET exported_at = NULL`).catch(() => undefined)
    const a = performance.now()
    const answer = await fetch(`${service.url}/api/v1/beta/user/export`, { method: 'POST', headers: { connection: 'close', authorization: `Bearer ${accounts[0]?.token}`, 'content-type': 'application/json' }, body: JSON.stringify({ format: 'json', password: 'correct horse battery' }) })
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
    let size = 0
    for await (const chunk of answer.body ?? []) size += chunk.length
    process.kill(service.pid, 'SIGUSR2'); await pause(1500)
    console.log(n, 'rss', await residentMemory(service.pid, 'VmRSS'), 'peak', await residentMemory(service.pid, 'VmHWM'), `${size} B ${((performance.now()-a)/1000).toFixed(0)} s`)
  }
} finally {
  await service.stop(); await database.close(); await embedded.stop(); await rm(directory, { recursive: true, force: true })
}
