import type { ListedChild, Outputs } from '@companion/sdk'
import { useNavigation } from '@react-navigation/native'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { StyleSheet, View } from 'react-native'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useConnections } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { today } from '../time/dates'
import { AskFirst } from '../ui/ask-first'
import { Card } from '../ui/card'
import { Failure } from '../ui/failure'
import { LinkRow } from '../ui/link-row'
import { Loaded } from '../ui/loaded'
import { Words } from '../ui/words'

/** The clinics that see a child, how to end that, and how to connect another one. */
export function ConnectedClinics({ child }: { child: Pick<ListedChild, 'id' | 'first_name'> }) {
  const { t } = useLanguage()
  const navigation = useNavigation()
  const connections = useConnections(child.id)
  return (
    <Card title={t.clinics.title}>
      <Loaded query={connections}>
        {(list) =>
          list.length === 0 ? (
            <Words tone="muted">{t.clinics.none}</Words>
          ) : (
            list.map((connection) => (
              <ConnectedClinic key={connection.connection_id} connection={connection} />
            ))
          )
        }
      </Loaded>
      <LinkRow
        label={t.clinics.connect}
        hint={t.clinics.connectHint}
        onPress={() => navigation.navigate('ConnectClinic', { real_user_id: child.id })}
      />
    </Card>
  )
}

type Connection = Outputs['clinics']['listConnections'][number]

function ConnectedClinic({ connection }: { connection: Connection }) {
  const { t, format } = useLanguage()
  const queries = useQueryClient()
  const { connection_id, clinic, since, until } = connection
  const ending = useMutation({
    mutationFn: () => companion.clinics.disconnect({ connection_id }),
    // Also after an error: it may have ended by itself, or on another phone.
    onSettled: () => queries.invalidateQueries({ queryKey: cacheKeys.clinics }),
  })
  return (
    <View style={styles.entry}>
      <View accessible>
        <Words>{clinic.name}</Words>
        {clinic.url ? (
          <Words kind="label" tone="muted">
            {clinic.url}
          </Words>
        ) : null}
        <Words kind="caption" tone="muted">
          {[
            t.settings.since(format.date(today(new Date(since)))),
            until ? t.sharing.until(format.date(until)) : t.sharing.noEnd,
          ].join(' · ')}
        </Words>
      </View>
      <Failure error={ending.error} />
      <AskFirst
        label={t.clinics.end}
        question={t.clinics.endQuestion(clinic.name)}
        isBusy={ending.isPending}
        onConfirm={() => ending.mutate()}
      />
    </View>
  )
}

const styles = StyleSheet.create({ entry: { gap: 10 } })
