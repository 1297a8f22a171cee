import { browserSupportsWebAuthn, startRegistration } from '@simplewebauthn/browser'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { companion } from '../companion/client'
import { useWords } from '../i18n/language'
import { Problem } from '../shell/states'

async function add(name: string): Promise<string> {
  const { challenge_id, options } = await companion.account.newPasskeyOptions()
  const credential = await startRegistration({ optionsJSON: options })
  await companion.account.addPasskey({ challenge_id, credential, name })
  return name
}

/** The form by which the caller makes another passkey, and names it. */
export function AddPasskey({ onAdded }: { onAdded: () => Promise<unknown> }) {
  const { t } = useWords()
  const [name, setName] = useState('')
  const {
    mutate,
    isPending,
    data: added,
    error,
  } = useMutation({
    mutationFn: add,
    onSuccess: () => {
      setName('')
      return onAdded()
    },
  })
  return (
    <section aria-labelledby="add-title">
      <h2 id="add-title">{t.passkeys.add}</h2>
      {browserSupportsWebAuthn() ? (
        <form
          className="line"
          onSubmit={(event) => {
            event.preventDefault()
            mutate(name.trim())
          }}
        >
          <label>
            {t.passkeys.name}
            <input
              required
              pattern=".*\S.*"
              maxLength={100}
              autoComplete="off"
              value={name}
              aria-describedby="passkey-name-hint"
              onChange={({ target }) => setName(target.value)}
            />
          </label>
          <button type="submit" disabled={isPending}>
            {isPending ? t.signIn.waiting : t.passkeys.submit}
          </button>
        </form>
      ) : (
        <p role="alert">{t.passkeyFailures.unsupported}</p>
      )}
      <p className="hint" id="passkey-name-hint">
        {t.passkeys.nameHint}
      </p>
      <p role="status">{added !== undefined && t.passkeys.added(added)}</p>
      {error && <Problem error={error} />}
    </section>
  )
}
