import { safe } from '@companion/sdk'
import { useState } from 'react'
import { companion, describe } from './companion'
import { Button, Card, Field, Notice } from './controls'

/** `ended` says why the last session is over, if it ended while the app was open. */
export function SignIn({ ended, onSignedIn }: { ended: string | undefined; onSignedIn: () => void }) {
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState(ended)
  const submit = async () => {
    const [, error] = await safe(companion.auth.signIn({ username: username.trim(), password }))
    if (error) setProblem(describe(error))
    // The SDK has saved the session by now.
    else onSignedIn()
  }
  return (
    <Card title="Sign in to Companion">
      <Field
        label="E-mail"
        value={username}
        onChangeText={setUsername}
        autoComplete="email"
        autoCapitalize="none"
      />
      <Field
        label="Password"
        value={password}
        onChangeText={setPassword}
        autoComplete="current-password"
        secureTextEntry
      />
      <Notice text={problem} />
      <Button label="Sign in" isDisabled={!username || !password} onPress={submit} />
    </Card>
  )
}
