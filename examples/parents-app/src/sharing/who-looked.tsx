import { useInfiniteQuery } from '@tanstack/react-query'
import { StyleSheet, View } from 'react-native'
import { companion } from '../companion/client'
import { cacheKeys } from '../companion/cache-keys'
import { useLanguage } from '../i18n/language'
import { wallClock } from '../time/dates'
import { Loaded } from '../ui/loaded'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Words } from '../ui/words'
import { byKind } from './access-kind'

/** Who but the owner has read or changed what of a child, by the hour. */
export function WhoLooked({ childId }: { childId: number }) {
  const { t, format } = useLanguage()
  const query = useInfiniteQuery({
    queryKey: [...cacheKeys.shares, 'access', childId],
    queryFn: ({ pageParam, signal }) =>
      companion.shares.access(
        { real_user_id: childId, limit: 20, ...(pageParam === null ? {} : { after: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
  return (
    <Card title={t.sharing.looked}>
      <Loaded query={query}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items)
          if (items.length === 0) return <Words tone="muted">{t.sharing.nobodyLooked}</Words>
          return byKind(items).map(({ at, name, kind, times }) => {
            const clock = wallClock(new Date(at))
            return (
              <View key={`${at} ${name} ${kind}`} accessible style={styles.entry}>
                <Words kind="label" style={styles.what}>
                  {`${name || t.sharing.gone} · ${t.sharing.kinds[kind]}`}
                </Words>
                <Words kind="caption" tone="muted">
                  {[
                    `${format.dayAndMonth(clock.slice(0, 10))}, ${format.hour(clock)}`,
                    // An open page of a clinic asks for these four times a second, to learn when its access ends.
                    ...(kind === 'details' ? [] : [t.sharing.times(times)]),
                  ].join(' · ')}
                </Words>
              </View>
            )
          })
        }}
      </Loaded>
      {query.hasNextPage ? (
        <Button
          kind="quiet"
          label={t.sharing.more}
          isBusy={query.isFetchingNextPage}
          onPress={() => void query.fetchNextPage()}
        />
      ) : null}
    </Card>
  )
}

const styles = StyleSheet.create({
  entry: { flexDirection: 'row', flexWrap: 'wrap', justifyContent: 'space-between', columnGap: 12 },
  what: { flexShrink: 1 },
})
