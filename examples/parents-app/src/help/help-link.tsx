import { useNavigation } from '@react-navigation/native'
import { useLanguage } from '../i18n/language'
import { LinkRow } from '../ui/link-row'
import type { Topic } from './topics'

/** What to do about something that happened, in one line that opens the page about it. */
export function HelpLink({ topic }: { topic: Topic }) {
  const { t } = useLanguage()
  const navigation = useNavigation()
  return <LinkRow label={t.help.topics[topic].line} onPress={() => navigation.navigate('Help', { topic })} />
}
