import { useLanguage } from '../i18n/language'
import { Choice } from '../ui/choice'
import { today } from '../time/dates'
import { DateField } from '../ui/date-field'
import { Field } from '../ui/field'
import { EARLIEST_BIRTH } from './birthdate'
import type { Gender, Person, PersonIssue } from './person'

interface PersonFieldsProps<Option extends Gender> {
  who: 'child' | 'parent'
  typed: Person<Option>
  genders: readonly Option[]
  issues: readonly PersonIssue[]
  onChange: (typed: Person<Option>) => void
}

/** Fields for name, birth date and gender. */
export function PersonFields<Option extends Gender>(props: PersonFieldsProps<Option>) {
  const { who, typed, genders, issues, onChange } = props
  const { t } = useLanguage()
  return (
    <>
      <Field
        label={who === 'child' ? t.children.name : t.signUp.name}
        value={typed.name}
        onChangeText={(name) => onChange({ ...typed, name })}
        autoComplete={who === 'child' ? 'off' : 'name'}
        maxLength={100}
        issue={issues.includes('name') ? t.issues.required : undefined}
      />
      <DateField
        label={t.signUp.birthdate}
        value={typed.birth}
        onChange={(birth) => onChange({ ...typed, birth })}
        earliest={EARLIEST_BIRTH}
        latest={today()}
        issue={issues.includes('birth') ? t.issues.birthdate : undefined}
      />
      <Choice
        label={t.signUp.gender}
        value={typed.gender}
        onChange={(gender) => onChange({ ...typed, gender })}
        options={genders.map((gender) => [gender, t.genders[gender]] as const)}
      />
    </>
  )
}
