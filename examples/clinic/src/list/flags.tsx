import { allFlags as all } from './clinic-child'
import type { Flag } from './clinic-child'
import { useWords } from '../i18n/language'

export function Flags({ flags }: { flags: readonly Flag[] }) {
  const { t } = useWords()
  if (flags.length === 0) return t.none
  return (
    <ul className="flags">
      {flags.map((flag) => (
        <li key={flag} className={`flag ${flag}`} title={t.flagMeanings[flag]}>
          {t.flags[flag]}
        </li>
      ))}
    </ul>
  )
}

/** Says what each flag means. */
export function FlagLegend() {
  const { t } = useWords()
  return (
    <dl className="legend">
      {all.map((flag) => (
        <div key={flag}>
          <dt className={`flag ${flag}`}>{t.flags[flag]}</dt>
          <dd>{t.flagMeanings[flag]}</dd>
        </div>
      ))}
    </dl>
  )
}
