import { Choice } from '../ui/choice'
import { useLanguage } from './language'

export function LanguageChoice({ isLabelShown = true }: { isLabelShown?: boolean }) {
  const { t, choice, choose } = useLanguage()
  const { system, ko, en } = t.settings.languages
  return (
    <Choice
      label={t.settings.language}
      isLabelShown={isLabelShown}
      value={choice}
      onChange={choose}
      options={[
        ['system', system],
        ['ko', ko],
        ['en', en],
      ]}
    />
  )
}
