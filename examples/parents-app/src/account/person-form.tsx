import { useMutation } from '@tanstack/react-query'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Failure } from '../ui/failure'
import { Notice } from '../ui/notice'
import { birthdateToDate } from './birthdate'
import type { Gender, ReadPerson } from './person'
import { PersonFields } from './person-fields'
import { usePerson } from './use-person'

interface PersonFormProps {
  who: 'child' | 'parent'
  known: { first_name: string; birthdate: string; gender: Gender }
  save: (person: ReadPerson) => Promise<unknown>
}

/** Edits the name, birth date and gender of a person. */
export function PersonForm({ who, known, save }: PersonFormProps) {
  const { t } = useLanguage()
  const { fields, check } = usePerson({
    name: known.first_name,
    birth: birthdateToDate(known.birthdate),
    gender: known.gender,
  })
  const saving = useMutation({ mutationFn: save })
  const submit = () => {
    const person = check()
    if (person) saving.mutate(person)
  }
  return (
    <Card>
      <PersonFields
        who={who}
        {...fields}
        onChange={(typed) => {
          saving.reset()
          fields.onChange(typed)
        }}
      />
      <Failure error={saving.error} />
      {saving.isSuccess ? <Notice text={t.saved} /> : null}
      <Button label={t.save} onPress={submit} isBusy={saving.isPending} />
    </Card>
  )
}
