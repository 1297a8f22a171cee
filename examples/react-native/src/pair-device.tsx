import { safe } from '@companion/sdk'
import { useState } from 'react'
import { companion, describe } from './companion'
import { Button, Card, Field, Notice } from './controls'

const FIELDS = [
  ['first_name', "Child's name"],
  ['birthdate', 'Birth date, as 2018-02-03'],
  ['serial_code', 'Serial code'],
  ['mac_id', 'Last 4 of the MAC address'],
  ['unique_id', 'Device ID'],
] as const

/** Adds a child and pairs the device: both or neither. `companion.devices.connect` pairs one with an existing child. */
export function PairDevice({ onPaired }: { onPaired: (childId: number) => void }) {
  const [typed, setTyped] = useState({
    first_name: '',
    birthdate: '',
    serial_code: '',
    mac_id: '',
    unique_id: '',
  })
  const [problem, setProblem] = useState<string>()
  const submit = async () => {
    const [child, error] = await safe(
      companion.children.create({
        first_name: typed.first_name.trim(),
        last_name: '',
        birthdate: typed.birthdate.replace(/\D/g, ''),
        gender: 'P',
        serial_code: typed.serial_code.trim().toUpperCase(),
        mac_id: typed.mac_id.trim().toUpperCase(),
        unique_id: typed.unique_id.trim().toLowerCase(),
      }),
    )
    if (child) onPaired(child.real_user_id)
    // The type of `detail` lists the errors of this operation; a text that is not one of them does not compile.
    else if (error.data?.detail === 'Not Found Device' || error.data?.detail === 'Serial code is not valid')
      setProblem('No device has these codes. Please check the label.')
    else if (error.data?.detail === 'Already Connected Device') setProblem('Another child has this device.')
    else setProblem(describe(error))
  }
  return (
    <Card title="Add a child and pair the device">
      {FIELDS.map(([name, label]) => (
        <Field
          key={name}
          label={label}
          value={typed[name]}
          onChangeText={(text) => setTyped({ ...typed, [name]: text })}
        />
      ))}
      <Notice text={problem} />
      <Button label="Add and pair" onPress={submit} />
    </Card>
  )
}
