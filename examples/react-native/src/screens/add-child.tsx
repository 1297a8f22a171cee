import type { CreateChildInput } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toBirthdate } from '../account/birthdate'
import { BirthdateField } from '../account/birthdate-field'
import { DeviceCodeFields } from '../account/device-code-fields'
import { useDeviceCodes } from '../account/use-device-codes'
import { companion } from '../companion/client'
import { keys } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import type { ScreenProps } from '../navigation/routes'
import { useChosenChild } from '../session/chosen-child'
import { today } from '../time/dates'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Choice } from '../ui/choice'
import { Failure } from '../ui/failure'
import { Field } from '../ui/field'
import { Page } from '../ui/page'

export function AddChildScreen({ navigation }: ScreenProps<'AddChild'>) {
  const { t } = useLanguage()
  const queries = useQueryClient()
  const { choose } = useChosenChild(undefined)
  const { fields, check } = useDeviceCodes()
  const [name, setName] = useState('')
  const [birth, setBirth] = useState('')
  const [gender, setGender] = useState<CreateChildInput['gender']>('F')
  const [isChecked, setChecked] = useState(false)
  const birthdate = toBirthdate(birth, today())
  const create = useMutation({
    mutationFn: (input: CreateChildInput) => companion.children.create(input),
    onSuccess: async ({ real_user_id }) => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: keys.children }),
        queries.invalidateQueries({ queryKey: keys.devices }),
      ])
      choose(real_user_id)
      navigation.popToTop()
    },
  })
  const submit = () => {
    setChecked(true)
    const codes = check()
    if (name.trim() && birthdate && codes)
      create.mutate({ first_name: name.trim(), last_name: '', birthdate, gender, ...codes })
  }
  return (
    <Page hasHeader>
      <Card>
        <Field
          label={t.children.name}
          value={name}
          onChangeText={setName}
          fault={isChecked && !name.trim() ? t.faults.required : undefined}
        />
        <BirthdateField
          value={birth}
          onChangeText={setBirth}
          fault={isChecked && !birthdate ? t.faults.birthdate : undefined}
        />
        <Choice
          label={t.signUp.gender}
          value={gender}
          onChange={setGender}
          options={[
            ['F', t.genders.F],
            ['M', t.genders.M],
            ['N', t.genders.N],
            ['P', t.genders.P],
          ]}
        />
      </Card>
      <Card title={t.pairing.title}>
        <DeviceCodeFields {...fields} />
      </Card>
      <Failure error={create.error} />
      <Button label={t.pairing.submitChild} onPress={submit} isBusy={create.isPending} />
    </Page>
  )
}
