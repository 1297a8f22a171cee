import { useLanguage } from '../i18n/language'
import type { ScreenProps } from '../navigation/routes'
import { Card } from '../ui/card'
import { Page } from '../ui/page'
import { Steps } from '../ui/steps'
import { Words } from '../ui/words'

/** What something means and what a parent can do about it. */
export function HelpScreen({ route }: ScreenProps<'Help'>) {
  const { t } = useLanguage()
  const { title, text, steps } = t.help.topics[route.params.topic]
  return (
    <Page hasHeader>
      <Card title={title}>
        <Words>{text}</Words>
        {steps.length > 0 ? <Words kind="label">{t.help.try}</Words> : null}
        <Steps steps={steps} />
      </Card>
      <Words kind="caption" tone="muted">
        {t.help.noAdvice}
      </Words>
    </Page>
  )
}
