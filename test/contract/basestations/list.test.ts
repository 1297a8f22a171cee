import { expect, test } from 'vitest'
import { signUp } from '../../support/family.ts'
import { addBasestation, basestations } from '../../support/basestations.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const { connect, list } = basestations(server)

test('the base stations of the account, the first one connected first, and of no other', async () => {
  const parent = await signUp(server)
  expect(await list(parent)).toEqual([])
  const second = await addBasestation(server)
  const first = await addBasestation(server)
  const connected = [await connect(parent, first), await connect(parent, second)]
  expect(await list(parent)).toEqual(connected.map(({ body }) => body))
  expect(await list(await signUp(server))).toEqual([])
})
