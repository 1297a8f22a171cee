import { useLanguage } from '../i18n/language'
import { Words } from '../ui/words'
import type { MemberRole } from './rights'

/** What a role may do, in one sentence. */
export function RoleWords({ role }: { role: MemberRole }) {
  const { t } = useLanguage()
  return (
    <Words kind="caption" tone="muted">
      {t.sharing.may[role]}
    </Words>
  )
}
