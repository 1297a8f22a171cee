import { useLanguage } from '../i18n/language'
import { Choice } from '../ui/choice'
import { Field } from '../ui/field'
import type { Gender, Person, PersonFault } from './person'

const examples = { child: '20180203', parent: '19850401' }

interface PersonFieldsProps<Option extends Gender> {
  who: keyof typeof examples
  typed: Person<Option>
  genders: readonly Option[]
  faults: readonly PersonFault[]
  onChange: (typed: Person<Option>) => void
}

/** Fields for name, birth date and gender. */
export function PersonFields<Option extends Gender>(props: PersonFieldsProps<Option>) {
  const { who, typed, genders, faults, onChange } = props
  const { t } = useLanguage()
  const example = examples[who]
  const isBirthWrong = faults.includes('birth')
  return (
    <>
      <Field
        label={who === 'child' ? t.children.name : t.signUp.name}
        value={typed.name}
        onChangeText={(name) => onChange({ ...typed, name })}
        autoComplete={who === 'child' ? 'off' : 'name'}
        maxLength={100}
        fault={faults.includes('name') ? t.faults.required : undefined}
      />
      <Field
        label={t.signUp.birthdate}
        value={typed.birth}
        onChangeText={(birth) => onChange({ ...typed, birth })}
        inputMode="numeric"
        // The fault already says how to write the date, so it replaces the hint.
        {...(isBirthWrong
          ? { fault: t.faults.birthdate(example) }
          : { hint: t.signUp.birthdateHint(example) })}
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
