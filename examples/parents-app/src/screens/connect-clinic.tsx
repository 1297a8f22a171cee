import type { ConnectClinicInput } from '@companion/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { DeviceCodeField } from '../account/device-code-field'
import { readClinicCode } from '../clinics/clinic-code'
import { companion } from '../companion/client'
import { detailOf } from '../companion/error-detail'
import { cacheKeys } from '../companion/cache-keys'
import { useChildren } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import type { ScreenProps } from '../navigation/routes'
import { ScanCode } from '../scan/scan-code'
import { LastDayFields, useLastDay } from '../sharing/last-day-fields'
import { memberRole } from '../sharing/rights'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Choice } from '../ui/choice'
import { Failure } from '../ui/failure'
import { Page } from '../ui/page'
import { Steps } from '../ui/steps'
import { Words } from '../ui/words'

/** Resolves to whether the clinic was connected already, perhaps by a try before whose answer was lost. */
async function connectOnce(input: ConnectClinicInput): Promise<boolean> {
  try {
    await companion.clinics.connect(input)
    return false
  } catch (error) {
    if (detailOf(error) === 'Already shared') return true
    throw error
  }
}

/** Lets a clinic in by its code: whom the parent would let in, what they would see, and then the connection. */
export function ConnectClinicScreen({ navigation, route }: ScreenProps<'ConnectClinic'>) {
  const { t } = useLanguage()
  const queries = useQueryClient()
  const { code: opened, real_user_id } = route.params
  const family = useChildren().data
  const own = family?.filter((child) => memberRole(child) === undefined) ?? []
  const [typed, setTyped] = useState(opened ?? '')
  const [isChecked, setChecked] = useState(false)
  const [childId, setChildId] = useState(real_user_id)
  const lastDay = useLastDay()
  const [isLastDayChecked, setLastDayChecked] = useState(false)
  const child = own.find(({ id }) => id === childId) ?? own[0]
  const code = readClinicCode(typed)
  const find = useMutation({ mutationFn: (input: { code: string }) => companion.clinics.find(input) })
  const connect = useMutation({
    mutationFn: connectOnce,
    // Also after an error: it may be connected already.
    onSettled: () => queries.invalidateQueries({ queryKey: cacheKeys.clinics }),
  })
  const { mutate: look } = find
  useEffect(() => {
    if (opened !== undefined) look({ code: opened })
  }, [opened, look])
  const write = (text: string) => {
    find.reset()
    connect.reset()
    // The text of the QR code may be pasted.
    setTyped(text.includes(':') ? (readClinicCode(text) ?? text) : text)
  }
  const submit = () => {
    setChecked(true)
    if (code !== undefined && !find.isPending) find.mutate({ code })
  }
  const clinic = find.data
  const connectClinic = () => {
    setLastDayChecked(true)
    if (!child || !clinic || code === undefined || lastDay.isMissing) return
    const { until } = lastDay
    connect.mutate(
      { code, real_user_id: child.id, ...(until === undefined ? {} : { until }) },
      // React Query skips this callback if the parent has left the screen.
      {
        onSuccess: (wasConnected) => {
          const people = {
            real_user_id: child.id,
            ...(wasConnected ? { connectedBefore: clinic.name } : {}),
          }
          if (child.id === real_user_id) navigation.popTo('People', people)
          else navigation.replace('People', people)
        },
      },
    )
  }
  return (
    <Page hasHeader>
      <Words tone="muted">{t.clinics.hint}</Words>
      <ScanCode
        label={t.clinics.scan}
        hint={t.clinics.scanHint}
        other={t.clinics.notACode}
        read={readClinicCode}
        onRead={(found) => {
          write(found)
          find.mutate({ code: found })
        }}
      />
      <DeviceCodeField
        label={t.clinics.code}
        value={typed}
        onChangeText={write}
        placeholder="XXXX-XXXX-XXXX"
        onSubmitEditing={submit}
        issue={isChecked && code === undefined ? t.clinics.codeIssue : undefined}
      />
      <Failure error={find.error} />
      {clinic && family && !child ? <Words>{t.clinics.noChild}</Words> : null}
      {clinic && child ? (
        <>
          <Card title={clinic.name}>
            {clinic.url ? (
              <Words kind="label" tone="muted">
                {clinic.url}
              </Words>
            ) : null}
            <Words>{t.clinics.sees(child.first_name)}</Words>
            <Steps steps={t.clinics.seen} />
            <Words tone="muted">{t.clinics.mayNot}</Words>
          </Card>
          {own.length > 1 ? (
            <Choice
              label={t.clinics.child}
              value={child.id}
              onChange={(id) => {
                connect.reset()
                setChildId(id)
              }}
              options={own.map(({ id, first_name }) => [id, first_name] as const)}
            />
          ) : null}
          <LastDayFields fields={lastDay.fields} isChecked={isLastDayChecked} />
          <Failure error={connect.error} />
          <Button
            label={t.clinics.connectTo(clinic.name)}
            onPress={connectClinic}
            isBusy={connect.isPending}
          />
        </>
      ) : (
        <Button label={t.clinics.find} onPress={submit} isBusy={find.isPending} />
      )}
    </Page>
  )
}
