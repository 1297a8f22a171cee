import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'
import { keepFigures } from '@companion/server/clinics/child.ts'
import { restoreDevlogs } from '@companion/server/devlogs/devlog-deletion.ts'
import { shiftDevlogs, unshiftDevlogs } from '@companion/server/devlogs/devlog-shift.ts'
import { installedCitus } from '../support/machines/citus.ts'
import { urlOf } from '../support/database-url.ts'
import { companion } from '../support/command.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { connectBasestation, reading, uploadReadings } from '../support/basestations.ts'
import { OPERATOR } from '../support/operator.ts'
import { useCitus } from '../support/machines/own-citus.ts'
import { startServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'
import { addMember } from '../support/shares.ts'
import { liveRecords } from '../support/treatments.ts'
import { until } from '../support/until.ts'

/*
 * Calls that begin while the coordinator counts another as done, and a worker does not show yet what that one wrote. Each runs
 * again without the locks in the shards, to see that it is they that keep the calls apart.
 */

const LOCKS = ['lock_device_records(int)', 'lock_child_records(int)', 'lock_basestation_records(int)']
const NIGHT = '2026-03-01T21:30:00'
const DAY = '2026-03-20'
const NO_DATA = '{"medication": [], "hospital": []}'
const TEMPORARY = { log_file_id: 1, is_temp: true }
const COMPLETE = { log_file_id: 2, treatment_time: 900 }
const STORED = `${NIGHT} #2 900s`

interface Family {
  server: TestServer
  token: string
  account: number
  /** Its notes and the records of its device lie where commits come late. */
  late: Awaited<ReturnType<typeof addChild>>
  /** The records of its device lie on the other worker. */
  early: Awaited<ReturnType<typeof addChild>>
  /** One on each worker. */
  stations: { unique_id: string }[]
}

interface Running {
  server: TestServer
  /** Its database on the worker to which commits come late. */
  worker: Database
}

interface Race {
  before?: (family: Family) => Promise<unknown>
  /** Its commit comes late. */
  first: (family: Family) => Promise<unknown>
  /** Begins meanwhile. */
  second: (family: Family) => Promise<unknown>
  /** What that answers, if it is no call over HTTP. */
  response?: object
  left: (family: Family) => Promise<unknown>
  right: unknown
}

const ask = async ({ server }: Family, sql: string, values: unknown[] = []): Promise<unknown[]> =>
  (await server.database.pool.query(sql, values)).rows.flatMap((row) => Object.values(row))

/** Uploads a record of both devices, so that it is written on both workers. */
const send = ({ server, late, early }: Family, options: Parameters<typeof devlogItem>[2], night = NIGHT) =>
  upload(
    server,
    [late, early].map(({ unique_id }) => devlogItem(unique_id, night, options)),
  )
const sendLate = ({ server, late }: Family, options: Parameters<typeof devlogItem>[2], night = NIGHT) =>
  upload(server, [devlogItem(late.unique_id, night, options)])
const deleteChild = ({ server, token, late }: Family) =>
  server.delete('/api/v1/beta/user/delete-real-user', {
    token,
    json: { real_user_id: late.real_user_id, unique_id: late.unique_id },
  })
const deleteAccount = ({ server, token }: Family) => server.delete('/api/v1/beta/user/root-user', { token })
const deleteLogs = ({ server, late, early }: Family) =>
  Promise.all(
    [late, early].map(({ unique_id }) =>
      server.delete('/api/v1/gamma/device/devlog', { query: { unique_id } }),
    ),
  )
const deleteLogsOfLate = ({ server, late: { unique_id } }: Family) =>
  server.delete('/api/v1/gamma/device/devlog', { query: { unique_id } })
const undo = ({ server, late, early }: Family) =>
  server.database.transaction(async (sql) => {
    for (const { unique_id } of [late, early])
      await restoreDevlogs(sql, { uniqueId: unique_id, operator: OPERATOR })
  })
const shift = ({ server, late }: Family) =>
  server.database.transaction((sql) =>
    shiftDevlogs(sql, {
      uniqueId: late.unique_id,
      from: NIGHT,
      to: NIGHT,
      seconds: 9 * 3600,
      dryRun: false,
      operator: OPERATOR,
    }),
  )
const unshift = async (family: Family) => {
  const [id] = await ask(family, 'SELECT max(id)::int FROM devlog_shift WHERE device_id = $1', [
    family.late.device_id,
  ])
  return family.server.database.transaction((sql) => unshiftDevlogs(sql, Number(id), OPERATOR))
}
/** Stores something of both children in one transaction. Alone, a note that nobody is told of is never late. */
const both = (family: Family, call: string) =>
  ask(family, `SELECT ${call} FROM unnest($1::int[]) child`, [
    [family.late.real_user_id, family.early.real_user_id],
  ])
const bothNotes = (family: Family, memo: string) =>
  both(family, `(save_event(child, NULL, '${DAY}', '${memo}', '${NO_DATA}', now(), NULL)).id`)
const note = ({ server, token, late }: Family, memo: string) =>
  server.post('/api/v1/beta/event', {
    token,
    json: { real_user_id: late.real_user_id, created_at: DAY, memo },
  })

const live = ({ server, late }: Family) => liveRecords(server, late.unique_id)
const treatments = (family: Family) =>
  ask(family, 'SELECT count(*)::int FROM treatment WHERE real_user_id = ANY ($1)', [
    [family.late.real_user_id, family.early.real_user_id],
  ])
const notes = (family: Family) =>
  ask(
    family,
    `SELECT (SELECT count(*)::int FROM event WHERE real_user_id = $1) AS events,
       (SELECT count(*)::int FROM event_version WHERE child_id = $1) AS versions,
       (SELECT count(*)::int FROM survey WHERE real_user_id = $1) AS surveys`,
    [family.late.real_user_id],
  )

/** Keeps what the list of a clinic says of the child on the day after `NIGHT`. */
async function keep({ server, late }: Family) {
  await keepFigures(server.database, [late.real_user_id], { today: '2026-03-02', goal: 10, timeZone: 'UTC' })
  return {}
}

const readings = ({ server, stations }: Family) =>
  uploadReadings(
    server,
    stations.map(({ unique_id }) => reading(unique_id, NIGHT)),
  )

const RACES: Record<string, Race> = {
  'a complete record takes the place of a temporary one': {
    first: (family) => send(family, TEMPORARY),
    second: (family) => sendLate(family, COMPLETE),
    left: live,
    right: [STORED],
  },
  'a temporary record yields to a complete one': {
    first: (family) => send(family, COMPLETE),
    second: (family) => sendLate(family, TEMPORARY),
    left: live,
    right: [STORED],
  },
  'of a deleted child no record is left': {
    first: (family) => send(family, COMPLETE),
    second: deleteChild,
    left: live,
    right: [],
  },
  'of a deleted account no record is left': {
    first: (family) => send(family, COMPLETE),
    second: deleteAccount,
    left: treatments,
    right: [0],
  },
  'of a deleted account no reading is left': {
    first: readings,
    second: deleteAccount,
    left: (family) =>
      ask(
        family,
        `SELECT (SELECT count(*)::int FROM sleep_reading WHERE root_user_id = $1) AS readings,
           (SELECT count(*)::int FROM reading_day WHERE root_user_id = $1) AS days`,
        [family.account],
      ),
    right: [0, 0],
  },
  'of a deleted child no note is left': {
    first: (family) => bothNotes(family, 'one'),
    second: deleteChild,
    left: notes,
    right: [0, 0, 0],
  },
  'of a deleted child no version of a note is left': {
    before: (family) => note(family, 'one'),
    first: (family) => bothNotes(family, 'two'),
    second: deleteChild,
    left: notes,
    right: [0, 0, 0],
  },
  'of a deleted child no survey is left': {
    first: (family) => both(family, 'add_survey(child, 3, 7, 0, now())'),
    second: deleteChild,
    left: notes,
    right: [0, 0, 0],
  },
  'a temporary record yields to a complete one that comes back': {
    before: async (family) => [await send(family, COMPLETE), await deleteLogs(family)],
    first: undo,
    second: (family) => sendLate(family, TEMPORARY),
    left: live,
    right: [STORED],
  },
  'a temporary record that comes back yields to a complete one': {
    before: async (family) => [await send(family, TEMPORARY), await deleteLogs(family)],
    first: undo,
    second: (family) => sendLate(family, COMPLETE),
    left: live,
    right: [STORED],
  },
  'a shift moves what has just been stored': {
    before: (family) => send(family, TEMPORARY),
    first: (family) => send(family, COMPLETE),
    second: shift,
    response: { moved: 1, stayed: [] },
    left: live,
    right: ['2026-03-02T06:30:00 #2 900s'],
  },
  'what clinics are told of a child holds what has just been stored': {
    before: async (family) => {
      const code = String(family.late.real_user_id).padStart(12, 'A')
      await ask(
        family,
        `WITH k AS (INSERT INTO clinic (name, code) VALUES ('Clinic', $2) RETURNING id)
         INSERT INTO clinic_connection (clinic_id, real_user_id, since) SELECT id, $1, now() FROM k`,
        [family.late.real_user_id, code],
      )
      await keep(family)
    },
    first: (family) => sendLate(family, COMPLETE),
    second: keep,
    response: {},
    left: (family) =>
      ask(
        family,
        'SELECT used_28, figures_day IS NULL AS is_outdated FROM clinic_connection WHERE real_user_id = $1',
        [family.late.real_user_id],
      ),
    right: [1, false],
  },
  'what has just been stored is moved back by the undoing of a shift': {
    before: async (family) => {
      await send(family, TEMPORARY)
      await shift(family)
    },
    first: (family) => send(family, COMPLETE),
    second: unshift,
    response: { moved: 1, stayed: [] },
    left: live,
    right: [STORED],
  },
}

describe.skipIf(!installedCitus())('calls during a late commit', () => {
  const citus = useCitus({ workers: 2, lagging: true })
  let locked: Running
  let unlocked: Running
  const close: (() => Promise<void>)[] = []

  async function start(): Promise<Running> {
    const { url, drop } = await citus.cloneDatabase()
    const server = await startServer({}, url)
    const node = citus.workers.at(-1)?.url ?? ''
    const worker = await openDatabase(urlOf(node, new URL(url).pathname.slice(1)), { pool: 1 })
    close.push(async () => {
      await server.stop()
      await worker.close()
      await drop()
    })
    return { server, worker }
  }
  beforeAll(async () => {
    locked = await start()
    unlocked = await start()
    for (const lock of LOCKS)
      await unlocked.server.database.pool.query(
        `DROP FUNCTION ${lock}; CREATE FUNCTION ${lock} RETURNS void LANGUAGE sql AS 'SELECT'`,
      )
    await unlocked.server.database.pool.query(
      `CREATE OR REPLACE FUNCTION await_committed_records(children int[]) RETURNS int[] LANGUAGE sql AS 'SELECT children'`,
    )
    await unlocked.server.database.pool.query(
      'ALTER TABLE treatment DROP CONSTRAINT treatment_device_lock_fkey',
    )
  })
  afterEach(() => citus.lagging?.lag(0))
  afterAll(async () => {
    for (const each of close) await each()
  })

  const isLate = async ({ database }: TestServer, table: string, id: number) => {
    const { rows } = await database.pool.query(
      `SELECT nodeport FROM pg_dist_shard_placement WHERE shardid = get_shard_id_for_distribution_column($1, $2::int)`,
      [table, id],
    )
    return rows[0].nodeport === citus.lagging?.port
  }

  /** Whether its notes and the records of its device lie where commits come late, or neither does. */
  const lies = async (server: TestServer, { device_id, real_user_id }: Family['late'], isWanted: boolean) =>
    (await isLate(server, 'treatment', device_id)) === isWanted &&
    (await isLate(server, 'event', real_user_id)) === isWanted

  async function familyOn(server: TestServer): Promise<Family> {
    const { token, id } = await signUp(server)
    const child = (isWanted: boolean) =>
      until(async () => {
        const added = await addChild(server, token)
        return (await lies(server, added, isWanted)) ? added : undefined
      })
    const station = (isWanted: boolean) =>
      until(async () => {
        const added = await connectBasestation(server, token)
        return (await isLate(server, 'sleep_reading', added.basestation_id)) === isWanted ? added : undefined
      })
    return {
      server,
      token,
      account: id,
      late: await child(true),
      early: await child(false),
      stations: [await station(true), await station(false)],
    }
  }

  /** Whether somebody waits on the worker to which commits come late. */
  const waits = async ({ pool }: Database) => {
    const { rows } = await pool.query(
      `SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database()`,
    )
    return rows.length > 0
  }

  /**
   * Lets calls begin while the commit of `first` is late, and resolves to what they answer. Without a lock `most` of them
   * come to commits of their own.
   */
  async function during<Output>(
    { worker }: Running,
    first: () => Promise<unknown>,
    begin: () => Promise<Output>,
    most = 1,
  ): Promise<Output> {
    citus.lagging?.lag(Infinity)
    const begun = first()
    const held = await until(() => citus.lagging?.held())
    let isOver = false
    const next = begin().finally(() => (isOver = true))
    await until(async () => isOver || (citus.lagging?.held() ?? 0) >= held + most || (await waits(worker)))
    citus.lagging?.lag(0)
    await begun
    return next
  }

  /** Lets complete records of both devices be stored without a look at others, as after a first upload. */
  const lookAhead = ({ server, late, early }: Family) =>
    Promise.all(
      [late, early].map(({ device_id }) =>
        server.database.pool.query(
          `WITH head AS (SELECT lock_device_records($1)) UPDATE device SET last_temporary_date = last_temporary_date_of($1)
           FROM head WHERE id = $1`,
          [device_id],
        ),
      ),
    )

  async function outcome(running: Running, { before, first, second, left }: Race, known: boolean) {
    const family = await familyOn(running.server)
    await before?.(family)
    if (known) await lookAhead(family)
    const response = await during(
      running,
      () => first(family),
      () => second(family),
    )
    return { response, left: await left(family) }
  }

  describe.each([false, true])('of devices whose temporary records are known: %s', (known) => {
    describe.each(Object.entries(RACES))('%s', (_name, race) => {
      const right = { response: race.response ?? { status: 200 }, left: race.right }
      test('with the locks', async () => expect(await outcome(locked, race, known)).toMatchObject(right))
      test('not without them', async () =>
        expect(await outcome(unlocked, race, known)).not.toMatchObject(right))
    })
  })

  // A unique index keeps such notes and records apart, even without the locks.
  test('of two notes of a day, one is the version of the other', async () => {
    const race: Race = {
      first: (family) => bothNotes(family, 'one'),
      second: (family) => note(family, 'two'),
      left: notes,
      right: [1, 1, 0],
    }
    for (const running of [locked, unlocked])
      expect(await outcome(running, race, true)).toMatchObject({
        response: { status: 200 },
        left: race.right,
      })
  })

  test('a record that comes back is not stored again', async () => {
    const family = await familyOn(locked.server)
    await send(family, COMPLETE)
    await deleteLogs(family)
    const sent = await during(
      locked,
      () => undo(family),
      () => sendLate(family, COMPLETE),
    )
    expect(sent).toMatchObject({ status: 200 })
    expect(await live(family)).toEqual([STORED])
  })

  describe('of uploads of several devices at once, the complete records are left', () => {
    const nights = [1, 2, 3, 4, 5].map((n) => `2026-03-0${n}T21:30:00`)
    const right = nights.map((night) => ({
      statuses: [200, 200, 200, 200, 200, 200],
      left: [`${night} #2 900s`],
    }))
    const sent = [TEMPORARY, COMPLETE, { ...TEMPORARY, log_file_id: 3 }]
    const sendAll = async (running: Running) => {
      const family = await familyOn(running.server)
      const rounds = []
      for (const [n, night] of nights.entries()) {
        const responses = await during(
          running,
          () => send(family, n % 2 === 0 ? TEMPORARY : COMPLETE, night),
          () =>
            Promise.all(sent.flatMap((each) => [send(family, each, night), sendLate(family, each, night)])),
          // The temporary ones are each stored alone.
          4,
        )
        const left = (await live(family)).filter((record) => record.startsWith(night))
        rounds.push({ statuses: responses.map(({ status }) => status), left })
      }
      return rounds
    }
    test('with the locks', async () => expect(await sendAll(locked)).toEqual(right))
    test('not without them', async () => expect(await sendAll(unlocked)).not.toEqual(right))
  })

  describe('what is written on one worker', () => {
    const isWatched = async (family: Family) => {
      await addMember(family.server, family, { real_user_id: family.late.real_user_id, role: 'viewer' })
    }
    const survey = ({ server, token, late }: Family) =>
      server.post('/api/v1/beta/survey', {
        token,
        json: {
          real_user_id: late.real_user_id,
          attention_score: 3,
          impulsivity_score: 7,
          disorder_score: 0,
        },
      })
    const measure = ({ server, stations }: Family, temperature: number) =>
      uploadReadings(server, [reading(stations[0]?.unique_id ?? '', NIGHT, { temperature })])
    const restoreVersion = ({ server, late }: Family) =>
      companion(
        server,
        'event',
        'restore',
        '--real-user-id',
        `${late.real_user_id}`,
        '--date',
        DAY,
        '--to-version',
        '1',
      )

    const afterwards: Record<string, Pick<Race, 'before' | 'first'>> = {
      'a record': { first: (family) => sendLate(family, COMPLETE) },
      'a record judged alone': { first: (family) => sendLate(family, TEMPORARY) },
      'a note of a child that is watched': { before: isWatched, first: (family) => note(family, 'one') },
      'a survey about a child that is watched': { before: isWatched, first: survey },
      'a reading that alerts': { first: (family) => measure(family, 45) },
      'a deletion': { before: (family) => sendLate(family, COMPLETE), first: deleteLogsOfLate },
      'the undoing of a deletion': {
        before: async (family) => [await sendLate(family, COMPLETE), await deleteLogsOfLate(family)],
        first: undo,
      },
      'a shift': { before: (family) => sendLate(family, COMPLETE), first: shift },
      'the undoing of a shift': {
        before: async (family) => [await sendLate(family, COMPLETE), await shift(family)],
        first: unshift,
      },
      'an earlier version of a note': {
        before: async (family) => [await note(family, 'one'), await note(family, 'two')],
        first: restoreVersion,
      },
      'the deletion of a child': { before: (family) => note(family, 'one'), first: deleteChild },
    }
    /** Whether a call comes to the second step of a commit, which is late. */
    async function isPromised(call: () => Promise<unknown>): Promise<boolean> {
      citus.lagging?.lag(Infinity)
      let isOver = false
      const begun = call().finally(() => (isOver = true))
      await until(() => isOver || citus.lagging?.held())
      const isHeld = !isOver
      citus.lagging?.lag(0)
      await begun
      return isHeld
    }
    test.each(Object.entries(afterwards))(
      'is promised before the coordinator writes too: %s',
      async (_name, { before, first }) => {
        const family = await familyOn(locked.server)
        await before?.(family)
        expect(await isPromised(() => first(family))).toBe(true)
      },
    )

    test('is promised before the coordinator writes too: the deletion of an account', async () => {
      const { server } = locked
      // Of one child only: what lies on both workers is promised anyway.
      const family = await until(async () => {
        const { token } = await signUp(server)
        const late = await addChild(server, token)
        return (await lies(server, late, true)) ? { server, token, late } : undefined
      })
      const { late, token } = family
      await upload(server, [devlogItem(late.unique_id, NIGHT, COMPLETE)])
      expect(await isPromised(() => server.delete('/api/v1/beta/user/root-user', { token }))).toBe(true)
      expect(await liveRecords(server, late.unique_id)).toEqual([])
    })

    // Citus commits it there before it does on the coordinator, which has nothing of its own to commit.
    test('is never late if the coordinator writes nothing', async () => {
      const family = await familyOn(locked.server)
      citus.lagging?.lag(Infinity)
      expect(await note(family, 'one')).toMatchObject({ status: 200 })
      expect(await note(family, 'two')).toMatchObject({ status: 200 })
      expect(await survey(family)).toMatchObject({ status: 200 })
      expect(await measure(family, 21)).toMatchObject({ status: 200 })
      expect(await notes(family)).toEqual([1, 1, 1])
    })
  })
})
