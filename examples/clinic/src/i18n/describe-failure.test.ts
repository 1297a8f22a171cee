import { WebAuthnError } from '@simplewebauthn/browser'
import { expect, test } from 'vitest'
import { describeFailure } from './describe-failure'
import { en } from './en'
import { ko } from './ko'

const passkey = (name: string, code: ConstructorParameters<typeof WebAuthnError>[0]['code']) =>
  new WebAuthnError({ message: '', code, cause: Object.assign(new Error('refused'), { name }) })

test("people read words of their own in place of the service's", () => {
  const error = Object.assign(new Error('409'), { data: { status: 409, detail: 'Last admin' } })
  expect(describeFailure(error, en)).toBe(en.failures['Last admin'])
  expect(describeFailure(error, ko)).toBe(ko.failures['Last admin'])
  const unknown = Object.assign(new Error('500'), { data: { status: 500, detail: 'Something new' } })
  expect(describeFailure(unknown, en)).toBe(en.unexpected)
  const invalid = Object.assign(new Error('422'), { data: { status: 422, detail: [] } })
  expect(describeFailure(invalid, en)).toBe(en.invalidInput)
})

test('a passkey that fails says what to do', () => {
  const { passkeyFailures } = en
  expect(describeFailure(passkey('NotAllowedError', 'ERROR_PASSTHROUGH_SEE_CAUSE_PROPERTY'), en)).toBe(
    passkeyFailures.cancelled,
  )
  expect(describeFailure(passkey('SecurityError', 'ERROR_INVALID_DOMAIN'), en)).toBe(passkeyFailures.domain)
  expect(describeFailure(passkey('InvalidStateError', 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED'), en)).toBe(
    passkeyFailures.known,
  )
})

test('a service out of reach is told as such', () => {
  const error = Object.assign(new Error('unreachable'), { name: 'CompanionUnreachable' })
  expect(describeFailure(error, en)).toBe(en.offline)
})
