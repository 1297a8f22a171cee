import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { addChild, PASSWORD, signUp } from './support/family.ts'
import { useServer } from './support/server.ts'

const server = useServer()
const example = (name: string) => fileURLToPath(new URL(`../examples/third-party/${name}`, import.meta.url))
const TODAY = '2026-03-10'

const runs = (command: string) => spawnSync(command, ['--version']).status === 0

test.for([
  { language: 'TypeScript', command: process.execPath, script: 'src/main.ts', needs: [] },
  { language: 'Python', command: 'python3', script: 'companion.py', needs: ['python3'] },
  { language: 'curl', command: 'bash', script: 'companion.sh', needs: ['bash', 'curl'] },
])(
  'an integrator brings logs and reads charts in $language',
  async ({ command, script, needs }, { skip }) => {
    const missing = needs.filter((each) => !runs(each))
    if (process.env['CI'] !== 'true') skip(missing.length > 0, `without ${missing.join()}`)
    expect(missing).toEqual([])

    const account = await signUp(server)
    const { unique_id, real_user_id } = await addChild(server, account.token)
    const directory = await mkdtemp(join(tmpdir(), 'companion-third-party-'))
    const environment = {
      PATH: process.env['PATH'],
      COMPANION_URL: server.url,
      COMPANION_EMAIL: account.email,
      COMPANION_PASSWORD: PASSWORD,
    }
    // What is done twice changes nothing.
    for (let time = 0; time < 2; time++) {
      const options = { cwd: directory, env: environment, timeout: 25_000 }
      const { stdout, stderr } = await promisify(execFile)(command, [example(script), TODAY], options)
      expect(stderr).toBe('')
      expect(JSON.parse(stdout)).toEqual({
        chart: {
          treatment_time_data: [{ treatment_date: TODAY, treatment_time: 1200 }],
          treatment_intensity_data: [{ treatment_date: TODAY, last_intensity: 9 }],
          movement_data: [{ treatment_date: TODAY, movement: 0 }],
          avg_treatment_time: 1200,
          avg_treatment_intensity: 9,
          avg_movement: 0,
        },
        memo: 'Slept well',
        treatments: 1,
        file: `GAMMA_DEVICE_${unique_id}_${TODAY}~${TODAY}.xlsx`,
        refused: 'Real user is not found',
      })
    }
    const spreadsheet = await readFile(join(directory, `GAMMA_DEVICE_${unique_id}_${TODAY}~${TODAY}.xlsx`))
    expect(spreadsheet.subarray(0, 2).toString()).toBe('PK')
    const { rows } = await server.database.pool.query(
      'SELECT memo, event_data FROM event WHERE real_user_id = $1',
      [real_user_id],
    )
    expect(rows).toEqual([{ memo: 'Slept well', event_data: { medication: [], hospital: ['Clinic'] } }])
    await rm(directory, { recursive: true })
  },
)
