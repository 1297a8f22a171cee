import type { SendSmsCodeInput, VerifyPhoneInput } from '@companion/sdk'
import { usePreventRemove } from '@react-navigation/native'
import { CodeStep } from './code-step'
import type { PhoneNumber } from './phone'
import { PhoneStep } from './phone-step'

interface PhoneAndCodeProps<Proof> {
  /** Why the number is needed. */
  hint: string
  purpose: SendSmsCodeInput['purpose']
  number: PhoneNumber
  onNumber: (number: PhoneNumber) => void
  /** Sends the code to the service and resolves to what the code proves. */
  confirm: (code: VerifyPhoneInput) => Promise<Proof>
  onConfirmed: (proof: Proof) => void
}

/** Asks for a phone number, then for the code sent to it. Going back leads from the code to the number. */
export function PhoneAndCode<Proof>(props: PhoneAndCodeProps<Proof>) {
  const { hint, purpose, number, onNumber, confirm, onConfirmed } = props
  const back = () => onNumber({ ...number, sentTo: undefined })
  usePreventRemove(number.sentTo !== undefined, back)
  return number.sentTo === undefined ? (
    <PhoneStep hint={hint} purpose={purpose} number={number} onNumber={onNumber} />
  ) : (
    <CodeStep
      phone={number.sentTo}
      purpose={purpose}
      confirm={confirm}
      onConfirmed={onConfirmed}
      onBack={back}
    />
  )
}
