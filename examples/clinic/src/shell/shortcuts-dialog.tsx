import { useRef } from 'react'
import { useWords } from '../i18n/language'
import { useShortcuts } from './use-shortcuts'

/** The button that opens the list of shortcuts; the key `?` does the same. */
export function ShortcutsDialog() {
  const { t } = useWords()
  const dialog = useRef<HTMLDialogElement>(null)
  const open = () => dialog.current?.showModal()
  useShortcuts({ '?': open })
  const { shortcuts } = t
  const rows: [keys: string[], meaning: string][] = [
    [['j', '↓'], shortcuts.next],
    [['k', '↑'], shortcuts.previous],
    [[shortcuts.enter], shortcuts.open],
    [['s'], shortcuts.seen],
    [['/'], shortcuts.search],
    [['n'], shortcuts.nextPage],
    [['p'], shortcuts.previousPage],
    [[shortcuts.escape], shortcuts.back],
    [['?'], shortcuts.help],
  ]
  return (
    <>
      <button type="button" className="quiet wide-only" onClick={open}>
        {t.nav.shortcuts} <kbd>?</kbd>
      </button>
      <dialog ref={dialog} aria-labelledby="shortcuts-title">
        <h2 id="shortcuts-title">{shortcuts.title}</h2>
        <dl className="shortcuts">
          {rows.map(([keys, meaning]) => (
            <div key={meaning}>
              <dt>
                {keys.map((key, index) => (
                  <span key={key}>
                    {index > 0 && ` ${shortcuts.or} `}
                    <kbd>{key}</kbd>
                  </span>
                ))}
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <form method="dialog">
          <button type="submit">{t.close}</button>
        </form>
      </dialog>
    </>
  )
}
