import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ConsentText } from '../account/consent-text'
import { ConsentTextLink } from '../account/consent-text-link'
import { SignOutOrDelete } from '../account/sign-out-or-delete'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useAccount } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Failure } from '../ui/failure'
import { Page } from '../ui/page'
import { SwitchRow } from '../ui/switch-row'
import { Words } from '../ui/words'

/** Asks for the consents in force that are not given. Nothing else of the app is shown before. */
export function ConsentsScreen() {
  const { t } = useLanguage()
  const queries = useQueryClient()
  const { data: account } = useAccount()
  const [agreed, setAgreed] = useState<readonly string[]>([])
  const wanted = account?.missing_consents ?? []
  const give = useMutation({
    mutationFn: async (all: readonly ConsentText[]) => {
      for (const each of all) await companion.account.giveConsent({ ...each, given: true })
    },
    // Also after a failure: some may have been given.
    onSettled: () => queries.invalidateQueries({ queryKey: cacheKeys.account }),
  })
  return (
    <Page>
      <Words kind="title">{t.consents.title}</Words>
      <Words tone="muted">{t.consents.hint}</Words>
      {wanted.map(({ kind, version }) => (
        <Card key={kind} title={t.consents.kinds[kind].title} aside={t.consents.version(version)}>
          <Words>{t.consents.kinds[kind].text}</Words>
          <ConsentTextLink text={{ kind, version }} />
          <SwitchRow
            label={t.consents.agree(t.consents.kinds[kind].title)}
            value={agreed.includes(kind)}
            isDisabled={give.isPending}
            onChange={(isAgreed) =>
              setAgreed((now) => (isAgreed ? [...now, kind] : now.filter((other) => other !== kind)))
            }
          />
        </Card>
      ))}
      <Failure error={give.error} />
      <Button
        label={t.consents.submit}
        onPress={() => give.mutate(wanted)}
        isBusy={give.isPending}
        isDisabled={wanted.some(({ kind }) => !agreed.includes(kind))}
      />
      <SignOutOrDelete />
    </Page>
  )
}
