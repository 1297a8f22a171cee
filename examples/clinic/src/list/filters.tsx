import { useId, useState } from 'react'
import type { RefObject } from 'react'
import { allFlags, sorts } from './clinic-child'
import type { ChildPage } from './clinic-child'
import { useWords } from '../i18n/language'
import { useListState } from './list-state'

/** Filters with their counts, sort and search. */
export function Filters({
  counts,
  searchField,
}: {
  counts: ChildPage['flags'] | undefined
  searchField: RefObject<HTMLInputElement | null>
}) {
  const { t } = useWords()
  const { state, change } = useListState()
  const [typed, setTyped] = useState(state.search)
  const [searched, setSearched] = useState(state.search)
  // Another part of the page has ended the search.
  if (searched !== state.search) {
    setSearched(state.search)
    setTyped(state.search)
  }
  const hint = useId()
  return (
    <div className="filters no-print">
      <div role="group" aria-label={t.list.filters} className="chips">
        <button type="button" aria-pressed={!state.flag} onClick={() => change({ flag: undefined })}>
          {t.list.all}
        </button>
        {allFlags.map((flag) => (
          <button
            key={flag}
            type="button"
            aria-pressed={state.flag === flag}
            title={t.flagMeanings[flag]}
            onClick={() => change({ flag: state.flag === flag ? undefined : flag })}
          >
            {t.flags[flag]} <span className="count">{counts?.[flag] ?? t.none}</span>
          </button>
        ))}
      </div>
      <label className="choice">
        <span>{t.list.sort}</span>
        <select
          value={state.sort}
          onChange={({ target }) => change({ sort: sorts.find((each) => each === target.value) ?? 'flags' })}
        >
          {sorts.map((sort) => (
            <option key={sort} value={sort}>
              {t.list.sorts[sort]}
            </option>
          ))}
        </select>
      </label>
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault()
          change({ search: typed.trim(), opened: 'first' })
        }}
      >
        <label className="choice">
          <span>
            {t.list.search} <kbd className="wide-only">/</kbd>
          </span>
          <input
            ref={searchField}
            type="search"
            value={typed}
            maxLength={200}
            aria-describedby={hint}
            onChange={({ target }) => {
              setTyped(target.value)
              if (target.value === '') change({ search: '' })
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
              // It would empty the field, and so end the search.
              event.preventDefault()
              event.currentTarget.blur()
            }}
          />
        </label>
        <button type="submit">{t.list.search}</button>
        <p className="hint" id={hint}>
          {t.list.searchHint}
        </p>
      </form>
    </div>
  )
}
