import { companion } from '../companion/client'
import { useWords } from '../i18n/language'
import { AskFirst } from '../shell/ask-first'

interface EndConnectionProps {
  connectionId: number
  /** The name of the child. */
  name: string
  onEnded: () => void
}

/** By which an admin ends the connection of a child with the clinic. */
export function EndConnection({ connectionId, name, onEnded }: EndConnectionProps) {
  const { t } = useWords()
  return (
    <AskFirst
      label={t.connection.end}
      question={t.connection.question(name)}
      act={(options) => companion.clinics.disconnect({ connection_id: connectionId }, options)}
      onDone={onEnded}
    >
      <ul>
        {t.connection.ends.map((end) => (
          <li key={end}>{end}</li>
        ))}
      </ul>
    </AskFirst>
  )
}
