import { expect, test } from 'vitest'
import { asksForSmart, dataScopesOf, fhirTypesOf, namesWithin, scopeNames, scopesOf } from './scope-names.ts'
import { dataScopes } from './scope.ts'

const all = new Set(dataScopes)

test('each name of SMART means one of our scopes, and opens its own type alone', () => {
  expect(scopesOf(['patient/Observation.rs'])).toEqual(['usage:read'])
  expect([...fhirTypesOf(['patient/Observation.rs'], all)]).toEqual(['Observation'])
  expect([...fhirTypesOf(['patient/Device.read'], all)]).toEqual(['Device'])
  expect([...fhirTypesOf(['usage:read'], all)]).toEqual(['Device', 'Observation'])
  expect([...fhirTypesOf(['notes:read'], all)]).toEqual(['MedicationStatement', 'Observation'])
  expect([...fhirTypesOf(['usage:read'], new Set(['child:read'] as const))]).toEqual([])
})

test.each(['patient/*.rs', 'patient/*.read', 'system/*.rs'])('%s means all that can be read', (name) => {
  expect(scopesOf([name])).toEqual(['child:read', 'usage:read', 'notes:read', 'surveys:read', 'reports:read'])
  expect(fhirTypesOf([name], all).size).toBe(7)
})

test('whoever holds a scope may ask for it by each of its names, and by no other', () => {
  const names = namesWithin(['usage:read', 'offline_access'])
  expect(names).toContain('patient/Device.rs')
  expect(names).toContain('system/Observation.read')
  expect(names).toContain('offline_access')
  expect(names).not.toContain('patient/*.rs')
  expect(names).not.toContain('openid')
  for (const name of names) expect(scopeNames).toContain(name)
})

test('a name that nobody knows means nothing', () => {
  expect(dataScopesOf(['patient/Observation.cruds', 'user/Patient.rs', 'constructor', ''])).toEqual([])
})

test('openid alone is none of SMART', () => {
  expect(asksForSmart(['openid', 'usage:read', 'offline_access'])).toBe(false)
  expect(asksForSmart(['launch/patient'])).toBe(true)
  expect(asksForSmart(['usage:read', 'patient/Patient.rs'])).toBe(true)
})
