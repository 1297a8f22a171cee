import { descriptions } from './descriptions.ts'
import { createCommand, CommandError, printResult, withDatabase } from './program.ts'

export const demoCommand = createCommand('demo', descriptions.demo, 'demo').action(
  async (options: { json?: boolean }) => {
    const { makeDemoFamily } = await import('../demo/family.ts')
    const { DEMO_EMAIL, DEMO_PASSWORD } = await import('../demo/family.ts')
    await withDatabase(
      async ({ config, database }) => {
        if (config.production) throw new CommandError('The demo family is refused when NODE_ENV=production')
        if (!(await makeDemoFamily(database))) {
          throw new CommandError('The database already holds accounts or devices; nothing was changed')
        }
      },
      { mayMake: true },
    )
    printResult(
      { email: DEMO_EMAIL, password: DEMO_PASSWORD },
      options,
      `Created the demo family; sign in as ${DEMO_EMAIL} with the password ${DEMO_PASSWORD}`,
    )
  },
)
