import type { TestProject } from 'vitest/node'
import { provideRun } from '../support/global-setup.ts'
import { createTemplate } from '../support/template.ts'
import { openLab } from './open.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The databases of the lab that the tests are run through, if they are. */
    lab?: { poolerUrl: string; replicaUrl: string }
  }
}

const POOL_SIZE = 20

/** Runs the tests through one lab: each server of theirs is two, behind a proxy, on PgBouncer and a replica. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const lab = await openLab(POOL_SIZE)
  project.provide('lab', { poolerUrl: lab.poolerUrl, replicaUrl: lab.replica.url })
  await createTemplate(lab.primaryUrl)
  const forget = await provideRun(project, [lab.primaryUrl])
  return async () => {
    await forget()
    await lab.close()
  }
}
