import type { OfferTransferInput } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { PasswordField } from '../account/password-field'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useChildren, useShares } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import type { ScreenProps } from '../navigation/routes'
import { Button } from '../ui/button'
import { Failure } from '../ui/failure'
import { Loaded } from '../ui/loaded'
import { Notice } from '../ui/notice'
import { Page } from '../ui/page'
import { Words } from '../ui/words'

/** Offers a child to one of its guardians. */
export function HandOverScreen({ route }: ScreenProps<'HandOver'>) {
  const { t } = useLanguage()
  const queries = useQueryClient()
  const { real_user_id, share_id } = route.params
  const child = useChildren().data?.find(({ id }) => id === real_user_id)
  const shares = useShares(real_user_id)
  const [password, setPassword] = useState('')
  const offer = useMutation({
    mutationFn: (input: OfferTransferInput) => companion.shares.offerTransfer(input),
    onSuccess: () => setPassword(''),
    // Also after an error: another phone may have offered the child.
    onSettled: () => queries.invalidateQueries({ queryKey: cacheKeys.shares }),
  })
  const submit = () => {
    if (password && !offer.isPending) offer.mutate({ real_user_id, share_id, password })
  }
  return (
    <Page hasHeader>
      <Loaded query={shares}>
        {({ members }) => {
          const guardian = members.find((member) => member.share_id === share_id)
          if (!child || !guardian) return <Words tone="muted">{t.failures['Share not found']}</Words>
          if (offer.isSuccess) return <Notice text={t.transfer.sent(guardian.first_name)} />
          return (
            <>
              <Words>{t.transfer.hint(guardian.first_name, child.first_name)}</Words>
              <PasswordField
                label={t.settings.currentPassword}
                value={password}
                onChangeText={setPassword}
                onSubmitEditing={submit}
              />
              <Failure error={offer.error} />
              <Button
                label={t.transfer.submit}
                onPress={submit}
                isBusy={offer.isPending}
                isDisabled={!password}
              />
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}
