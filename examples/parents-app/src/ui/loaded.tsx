import { isOffline } from '@companion/sdk'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ActivityIndicator, StyleSheet, View } from 'react-native'
import { describeFailure } from '../i18n/describe-failure'
import { useLanguage } from '../i18n/language'
import { usePalette } from '../theme/use-palette'
import { Button } from './button'
import { Failure } from './failure'
import { FullState } from './full-state'

interface LoadedProps<Data> {
  query: UseQueryResult<Data>
  children: (data: Data) => ReactNode
}

/**
 * Shows the response of a query, or that the query is loading, offline or refused. An old response stays visible; the page says
 * that it is old.
 */
export function Loaded<Data>({ query, children }: LoadedProps<Data>) {
  const { t } = useLanguage()
  const palette = usePalette()
  const { data, error } = query
  if (data !== undefined)
    return (
      <>
        {isOffline(error) ? null : <Failure error={error} />}
        {children(data)}
      </>
    )
  if (!error)
    return (
      <View style={styles.loading} role="status">
        <ActivityIndicator color={palette.muted} size="large" accessibilityLabel={t.loading} />
      </View>
    )
  return (
    <FullState
      icon={isOffline(error) ? 'offline' : 'close'}
      title={isOffline(error) ? t.states.offlineTitle : t.states.errorTitle}
      text={describeFailure(error, t)}
    >
      <Button label={t.retry} isBusy={query.isFetching} onPress={() => void query.refetch()} />
    </FullState>
  )
}

const styles = StyleSheet.create({
  loading: { minHeight: 180, alignItems: 'center', justifyContent: 'center' },
})
