import type { ListedChild } from '@companion/sdk'
import { expect, test } from 'vitest'
import { follow, NOBODY, without } from './followed'

const child = (id: number, role: ListedChild['role'] = 'guardian'): ListedChild => ({
  id,
  root_user_id: 1,
  first_name: `Child ${id}`,
  last_name: '',
  birthdate: '20180203',
  gender: 'F',
  role,
})

test('a shared child who is no longer listed is lost, with what was known; an own one is not', () => {
  const before = follow(NOBODY, [child(1, 'owner'), child(2), child(3, 'viewer')])
  const after = follow(before, [])
  expect(after).toEqual({
    known: [],
    lost: [
      { id: 2, first_name: 'Child 2' },
      { id: 3, first_name: 'Child 3' },
    ],
  })
  expect(follow(after, [])).toEqual(after)
})

test('a child who is shared again, or who became the own one, is not lost', () => {
  const lost = follow(follow(NOBODY, [child(2)]), [])
  expect(follow(lost, [child(2)]).lost).toEqual([])
  expect(follow(follow(NOBODY, [child(2)]), [child(2, 'owner')])).toEqual(NOBODY)
})

test('who was given up, or told of, is forgotten', () => {
  const before = follow(NOBODY, [child(2), child(3)])
  expect(follow(without(before, 2), []).lost).toMatchObject([{ id: 3 }])
  expect(without(follow(before, []), 3).lost).toMatchObject([{ id: 2 }])
})
