import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import type { Outputs } from '@companion/sdk'
import { companion } from '../companion/client'
import { passkeys } from '../companion/queries'
import { queryClient } from '../companion/query-client'
import { useWords } from '../i18n/language'
import { AskFirst } from '../shell/ask-first'
import { Part } from '../shell/states'
import { useTitle } from '../shell/use-title'
import { AddPasskey } from './add-passkey'

type Passkey = Outputs['account']['listPasskeys'][number]

const readAgain = () => queryClient.invalidateQueries({ queryKey: passkeys.queryKey })

/** By what the caller signs in. */
export function PasskeysPage() {
  const { t, format } = useWords()
  const query = useQuery(passkeys)
  const heading = useRef<HTMLHeadingElement>(null)
  useTitle(t.passkeys.title)
  const nameOf = ({ name, created_at }: Passkey) => name ?? t.passkeys.nameless(format.dateOf(created_at))
  return (
    <main id="content">
      <h1 ref={heading} tabIndex={-1}>
        {t.passkeys.title}
      </h1>
      <p>{t.passkeys.text}</p>
      <Part query={query}>
        {(all) => (
          <table className="cards" aria-label={t.passkeys.title}>
            <thead>
              <tr>
                <th scope="col">{t.passkeys.name}</th>
                <th scope="col">{t.passkeys.made}</th>
                <th scope="col">{t.passkeys.used}</th>
                <th scope="col">{t.passkeys.remove}</th>
              </tr>
            </thead>
            <tbody>
              {all.map((passkey) => (
                <tr key={passkey.passkey_id}>
                  <th scope="row" data-title="">
                    {nameOf(passkey)}
                  </th>
                  <td data-label={t.passkeys.made}>{format.dateOf(passkey.created_at)}</td>
                  <td data-label={t.passkeys.used}>
                    {passkey.last_used_at ? format.moment(passkey.last_used_at) : t.passkeys.unused}
                  </td>
                  <td>
                    <AskFirst
                      label={t.passkeys.remove}
                      name={t.passkeys.removeOf(nameOf(passkey))}
                      question={t.passkeys.removeQuestion(nameOf(passkey))}
                      act={(options) =>
                        companion.account.removePasskey({ passkey_id: passkey.passkey_id }, options)
                      }
                      onDone={async () => {
                        await readAgain()
                        // The button that had the focus is gone.
                        heading.current?.focus()
                      }}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Part>
      <AddPasskey onAdded={readAgain} />
    </main>
  )
}
