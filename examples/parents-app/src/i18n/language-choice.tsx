import { Choice } from '../ui/choice'
import { useLanguage } from './language'

interface LanguageChoiceProps {
  isLabelShown?: boolean
  /** Called once another language is shown. */
  onChoose?: (choice: ReturnType<typeof useLanguage>['choice']) => void
}

export function LanguageChoice({ isLabelShown = true, onChoose }: LanguageChoiceProps) {
  const { t, choice, choose } = useLanguage()
  const { system, ko, en } = t.settings.languages
  return (
    <Choice
      label={t.settings.language}
      isLabelShown={isLabelShown}
      value={choice}
      onChange={(chosen) => {
        choose(chosen)
        onChoose?.(chosen)
      }}
      options={[
        ['system', system],
        ['ko', ko],
        ['en', en],
      ]}
    />
  )
}
