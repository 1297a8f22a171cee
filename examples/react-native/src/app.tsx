import { safe } from '@companion/sdk'
import type { SignedOutReason } from '@companion/sdk'
import { Fragment, useEffect, useState } from 'react'
import { AppState, ScrollView, StatusBar, View } from 'react-native'
import { companion, describe, onSignedOut } from './companion'
import { Button, Notice, styles } from './controls'
import { DayNote } from './day-note'
import { PairDevice } from './pair-device'
import { SignIn } from './sign-in'
import { UsageChart } from './usage-chart'
import { useResponse } from './use-response'

/** Shows the family, or the sign-in when there is no session. The SDK keeps the session over restarts. */
export function App() {
  const [session, setSession] = useState<'in' | 'none' | SignedOutReason>()
  const ended =
    session === 'duplicate_login' ? 'Someone signed in to this account on another phone.' : undefined
  useEffect(() => {
    void safe(companion.session.isSignedIn()).then(([isSignedIn]) => setSession(isSignedIn ? 'in' : 'none'))
    return onSignedOut(setSession)
  }, [])
  return (
    <ScrollView
      style={styles.screen}
      contentContainerStyle={[styles.page, { paddingTop: 24 + (StatusBar.currentHeight ?? 0) }]}
      contentInsetAdjustmentBehavior="automatic"
      automaticallyAdjustKeyboardInsets
      keyboardShouldPersistTaps="handled"
    >
      {session === 'in' ? <Family /> : null}
      {session && session !== 'in' ? <SignIn ended={ended} onSignedIn={() => setSession('in')} /> : null}
    </ScrollView>
  )
}

function Family() {
  const { response: children, error, askAgain } = useResponse(companion.children.list)
  const [chosen, choose] = useState<number | 'new'>()
  const child = chosen === undefined ? children?.[0] : children?.find(({ id }) => id === chosen)
  const date = useToday()
  return (
    <>
      <View style={styles.row}>
        {children?.map(({ id, first_name }) => (
          <Button key={id} label={first_name} isQuiet={id !== child?.id} onPress={() => choose(id)} />
        ))}
        {child ? <Button label="Add a child" isQuiet onPress={() => choose('new')} /> : null}
      </View>
      <Notice text={error && describe(error)} />
      {error ? <Button label="Try again" onPress={askAgain} /> : null}
      {children && !child ? <PairDevice onPaired={(id) => (choose(id), void askAgain())} /> : null}
      {child ? (
        <Fragment key={child.id}>
          <UsageChart childId={child.id} date={date} />
          <DayNote childId={child.id} date={date} />
        </Fragment>
      ) : null}
      <Button label="Sign out" isQuiet onPress={signOut} />
    </>
  )
}

async function signOut(): Promise<void> {
  const [, error] = await safe(companion.auth.signOut())
  // Without a connection, the session ends on this phone only.
  if (error) await companion.session.signOut()
}

/** The date where the user is, `yyyy-mm-dd`. The service may be in another time zone. */
function today(): string {
  const now = new Date()
  const parts = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
  return parts.map((part) => String(part).padStart(2, '0')).join('-')
}

/** Follows the date, and wakes the outbox, whenever the app comes to the foreground. */
function useToday(): string {
  const [date, setDate] = useState(today)
  useEffect(() => {
    const changes = AppState.addEventListener('change', (state) => {
      if (state !== 'active') return
      setDate(today())
      void companion.outbox.send()
    })
    return () => changes.remove()
  }, [])
  return date
}
