import type { ListedChild } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useShares } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { useToday } from '../time/use-today'
import { ageOn } from '../account/birthdate'
import { Loaded } from '../ui/loaded'
import { AskFirst } from '../ui/ask-first'
import { Card } from '../ui/card'
import { Failure } from '../ui/failure'
import { Words } from '../ui/words'
import type { MemberRole } from './rights'
import { RoleWords } from './role-words'
import { useForget } from './use-followed'

/** A child that another account shares: with which role, until when, and how to give it up. */
export function SharedChild({ child, role }: { child: ListedChild; role: MemberRole }) {
  const { t, format } = useLanguage()
  const queries = useQueryClient()
  const shares = useShares(child.id)
  const forget = useForget()
  const leave = useMutation({
    mutationFn: (share_id: number) => companion.shares.end({ share_id }),
    onSuccess: () => forget(child.id),
    onSettled: () => queries.invalidateQueries({ queryKey: cacheKeys.children }),
  })
  return (
    <Card title={child.first_name} aside={t.children.age(ageOn(child.birthdate, useToday()))}>
      <Words>{t.sharing.sharedAs[role]}</Words>
      <RoleWords role={role} />
      <Loaded query={shares}>
        {({ members: [own] }) =>
          own ? (
            <>
              <Words kind="caption" tone="muted">
                {own.until ? t.sharing.until(format.date(own.until)) : t.sharing.noEnd}
              </Words>
              <Failure error={leave.error} />
              <AskFirst
                label={t.sharing.leave}
                question={t.sharing.leaveQuestion(child.first_name)}
                isBusy={leave.isPending}
                onConfirm={() => leave.mutate(own.share_id)}
              />
            </>
          ) : null
        }
      </Loaded>
    </Card>
  )
}
