import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { Outputs } from '@companion/sdk'
import { memberships } from '../companion/queries'
import { useWords } from '../i18n/language'
import { useTitle } from '../shell/use-title'
import { normalizeClinicCode } from './clinic-code'
import { QrCode } from './qr-code'

const route = getRouteApi('/signed-in/$clinicId/code')

const keyOf = (clinicId: number) => `clinic.${clinicId}.code`

/** A sheet for parents with the code of the clinic. The service shows the code to its operator alone, so it is typed once. */
export function CodePage() {
  const { clinicId } = route.useParams()
  const { t } = useWords()
  const { data = [] } = useQuery(memberships)
  const clinic = data.find(({ clinic_id }) => clinic_id === clinicId)
  const [code, setCode] = useState(() => normalizeClinicCode(localStorage.getItem(keyOf(clinicId)) ?? ''))
  useTitle(t.code.title)
  const keep = (chosen: string | undefined) => {
    if (chosen === undefined) localStorage.removeItem(keyOf(clinicId))
    else localStorage.setItem(keyOf(clinicId), chosen)
    setCode(chosen)
  }
  if (code === undefined) return <CodeForm onCode={keep} role={clinic?.role} />
  return (
    <main id="content" className="narrow sheet">
      <h1>{t.code.sheetTitle(clinic?.name ?? '')}</h1>
      <QrCode text={`companion://clinic?code=${code}`} label={t.code.picture(code)} />
      <p className="code">{code}</p>
      <ol>
        {t.code.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p>{t.code.end}</p>
      <div className="actions no-print">
        <button type="button" className="main" onClick={() => print()}>
          {t.print}
        </button>
        <button type="button" onClick={() => keep(undefined)}>
          {t.code.change}
        </button>
      </div>
    </main>
  )
}

type Role = Outputs['clinics']['listMemberships'][number]['role']

function CodeForm({ onCode, role }: { onCode: (code: string) => void; role: Role | undefined }) {
  const { t } = useWords()
  const [typed, setTyped] = useState('')
  const [isWrong, setIsWrong] = useState(false)
  return (
    <main id="content" className="narrow">
      <h1>{t.code.title}</h1>
      <p>{t.code.text}</p>
      {role && <p>{t.code.who[role]}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const code = normalizeClinicCode(typed)
          setIsWrong(code === undefined)
          if (code !== undefined) onCode(code)
        }}
      >
        <label>
          {t.code.field}
          <input
            required
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            value={typed}
            aria-invalid={isWrong}
            aria-describedby="code-issue"
            onChange={({ target }) => setTyped(target.value)}
          />
        </label>
        <p id="code-issue" role="alert">
          {isWrong && t.code.issue}
        </p>
        <button type="submit" className="main">
          {t.code.show}
        </button>
      </form>
    </main>
  )
}
