import { expect, test } from 'vitest'
import { RealUser } from '@companion/server/entities/entities.ts'
import { addChild, signUp } from '../support/family.ts'
import { useServer } from '../support/server.ts'

const server = useServer()

const addOwnChild = async () => (await addChild(server, (await signUp(server)).token)).real_user_id

test('each unit of work has an identity map of its own', async () => {
  const id = await addOwnChild()
  const { database } = server
  const [one, other] = [database.fork(), database.fork()]
  const child = await one.findOneOrFail(RealUser, id)
  child.gender = 'N'
  expect(await one.findOneOrFail(RealUser, id)).toBe(child)
  expect(await other.findOneOrFail(RealUser, id)).toMatchObject({ gender: 'F' })
  const inTransaction = await database.transaction((_sql, em) => em.findOneOrFail(RealUser, id))
  expect(inTransaction).toMatchObject({ gender: 'F' })
})

test('a transaction flushes its entities before it commits, and an error rolls back them and SQL alike', async () => {
  const id = await addOwnChild()
  const { database } = server
  const stored = () => database.fork().findOneOrFail(RealUser, id)
  const { root_user_id: parent } = await stored()
  const handOver = (root_user_id: number) =>
    database.transaction(async (sql, em) => {
      await sql.updateTable('real_user').set({ gender: 'N' }).where('id', '=', id).execute()
      const child = await em.findOneOrFail(RealUser, id)
      expect(child.gender).toBe('N')
      child.root_user_id = root_user_id
    })
  await expect(handOver(2 ** 31 - 1)).rejects.toMatchObject({ code: '23503' })
  expect(await stored()).toMatchObject({ gender: 'F', root_user_id: parent })
  const { id: other } = await signUp(server)
  await handOver(other)
  expect(await stored()).toMatchObject({ gender: 'N', root_user_id: other })
})
