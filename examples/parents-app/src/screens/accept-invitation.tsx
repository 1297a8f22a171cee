import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useLanguage } from '../i18n/language'
import type { ScreenProps } from '../navigation/routes'
import { useChosenChild } from '../session/chosen-child'
import { readInvitation } from '../sharing/invitation-code'
import { Button } from '../ui/button'
import { Failure } from '../ui/failure'
import { Field } from '../ui/field'
import { Page } from '../ui/page'
import { Words } from '../ui/words'

export function AcceptInvitationScreen({ navigation, route }: ScreenProps<'AcceptInvitation'>) {
  const { t } = useLanguage()
  const queries = useQueryClient()
  const { choose } = useChosenChild(undefined)
  const [typed, setTyped] = useState(route.params?.code ?? '')
  const [isChecked, setChecked] = useState(false)
  const token = readInvitation(typed)
  const accept = useMutation({
    mutationFn: (code: string) => companion.shares.accept({ token: code }),
    onSuccess: () =>
      Promise.all(
        [cacheKeys.children, cacheKeys.devices, cacheKeys.basestations].map((queryKey) =>
          queries.invalidateQueries({ queryKey }),
        ),
      ),
  })
  const submit = () => {
    setChecked(true)
    if (token === undefined) return
    accept.mutate(token, {
      // React Query skips this callback if the user has left the screen.
      onSuccess: ({ real_user_id }) => {
        choose(real_user_id)
        navigation.popToTop()
      },
    })
  }
  return (
    <Page hasHeader>
      <Words tone="muted">{t.sharing.acceptHint}</Words>
      <Field
        label={t.sharing.code}
        value={typed}
        onChangeText={setTyped}
        autoCapitalize="none"
        autoCorrect={false}
        autoComplete="off"
        isLong
        issue={isChecked && token === undefined ? t.sharing.codeIssue : undefined}
      />
      <Failure error={accept.error} />
      <Button label={t.sharing.accept} onPress={submit} isBusy={accept.isPending} />
    </Page>
  )
}
