import type { ListedChild } from '@companion/sdk'
import { expect, test } from 'vitest'
import { updateFollowed, NOBODY, withoutChild } from './followed'

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
  const before = updateFollowed(NOBODY, [child(1, 'owner'), child(2), child(3, 'viewer')])
  const after = updateFollowed(before, [])
  expect(after).toEqual({
    known: [],
    lost: [
      { id: 2, first_name: 'Child 2' },
      { id: 3, first_name: 'Child 3' },
    ],
  })
  expect(updateFollowed(after, [])).toEqual(after)
})

test('a child who is shared again, or who became the own one, is not lost', () => {
  const lost = updateFollowed(updateFollowed(NOBODY, [child(2)]), [])
  expect(updateFollowed(lost, [child(2)]).lost).toEqual([])
  expect(updateFollowed(updateFollowed(NOBODY, [child(2)]), [child(2, 'owner')])).toEqual(NOBODY)
})

test('who was given up, or told of, is forgotten', () => {
  const before = updateFollowed(NOBODY, [child(2), child(3)])
  expect(updateFollowed(withoutChild(before, 2), []).lost).toMatchObject([{ id: 3 }])
  expect(withoutChild(updateFollowed(before, []), 3).lost).toMatchObject([{ id: 2 }])
})
