import { expect, test } from 'vitest'
import { emptyProfile, readProfile } from './profile-draft'

const typed = {
  ...emptyProfile,
  name: 'Kim Jiyoung',
  birth: '1985-04-01',
  email: ' parent@example.com ',
  password: 'correct horse battery',
}

test('a new account agrees to nothing by default', () => {
  expect(readProfile(typed, '2026-03-01')).toEqual({
    profile: {
      first_name: 'Kim Jiyoung',
      last_name: '',
      birthdate: '19850401',
      gender: 'P',
      email: 'parent@example.com',
      password: 'correct horse battery',
      is_push_agree: false,
      is_marketing_agree: false,
    },
    issues: [],
  })
})

test('a new account agrees to what the parent switched on', () => {
  expect(readProfile({ ...typed, isPush: true }, '2026-03-01').profile).toMatchObject({
    is_push_agree: true,
    is_marketing_agree: false,
  })
})

test('each invalid field is named', () => {
  expect(readProfile(emptyProfile, '2026-03-01')).toEqual({
    profile: undefined,
    issues: ['name', 'birth', 'email', 'password'],
  })
})
