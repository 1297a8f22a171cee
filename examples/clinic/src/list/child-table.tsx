import { createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { ClinicChild, Sort } from './clinic-child'
import { fullName } from '../child/full-name'
import { useWords } from '../i18n/language'
import { ageOn, today } from '../time/dates'
import { Flags } from './flags'
import { useListState } from './list-state'

const features = tableFeatures({})
const helper = createColumnHelper<typeof features, ClinicChild>()

interface Props {
  clinicId: number
  sort: Sort
  items: ClinicChild[]
  onSeen: (child: ClinicChild) => void
}

function useColumns({ clinicId, sort, onSeen }: Omit<Props, 'items'>) {
  const { t, format } = useWords()
  return useMemo(() => {
    const { columns } = t.list
    const age = (birthdate: string) => {
      const found = ageOn(today(), birthdate)
      return found && t.child[found.unit](found.count)
    }
    return helper.columns([
      helper.display({
        id: 'name',
        header: columns.name,
        cell: ({ row: { original: child } }) => (
          <>
            <Link
              to="/$clinicId/child/$childId"
              params={{ clinicId, childId: child.real_user_id }}
              data-child={child.real_user_id}
            >
              {fullName(child)}
            </Link>
            <small>{age(child.birthdate)}</small>
            {sort === 'since' && <small>{t.list.since(format.dateOf(child.since))}</small>}
            {child.until && <small>{t.list.until(format.date(child.until))}</small>}
          </>
        ),
      }),
      helper.accessor('record_number', {
        header: columns.record,
        cell: ({ getValue }) => getValue() ?? t.none,
      }),
      helper.accessor('flags', {
        header: columns.flags,
        cell: ({ getValue }) => <Flags flags={getValue()} />,
      }),
      helper.accessor('plan', {
        header: columns.plan,
        cell: ({ getValue }) => {
          const plan = getValue()
          return plan ? t.list.planOf(plan.nights_per_week, format.duration(plan.minutes)) : t.list.noPlan
        },
      }),
      helper.display({
        id: 'used',
        header: columns.used,
        cell: ({ row: { original: child } }) => (
          <>
            {child.used_28}
            <small>{t.list.before(child.used_28_before)}</small>
          </>
        ),
      }),
      helper.accessor('reached_28', { header: columns.reached }),
      helper.accessor('median_minutes_28', {
        header: columns.median,
        cell: ({ getValue }) => {
          const minutes = getValue()
          return minutes === null ? t.none : format.duration(minutes)
        },
      }),
      helper.accessor('contact_losses_28', { header: columns.losses }),
      helper.accessor('last_night', {
        header: columns.lastNight,
        cell: ({ getValue }) => {
          const date = getValue()
          return date === null ? t.none : format.shortDate(date)
        },
      }),
      helper.accessor('last_upload_at', {
        header: columns.upload,
        cell: ({ getValue }) => {
          const at = getValue()
          return at === null ? t.none : format.shortDateOf(at)
        },
      }),
      helper.display({
        id: 'seen',
        header: columns.seen,
        cell: ({ row }) => <Seen child={row.original} onSeen={onSeen} />,
      }),
    ])
  }, [t, format, clinicId, sort, onSeen])
}

function Seen({ child, onSeen }: { child: ClinicChild; onSeen: (child: ClinicChild) => void }) {
  const { t, format } = useWords()
  const { marks } = useListState()
  const mark = marks.find((each) => each.child.real_user_id === child.real_user_id)
  const label = child.seen_at ? t.list.unseen : t.list.seen
  return (
    <>
      {child.seen_at && <small>{t.list.seenBy(child.seen_by ?? t.none, format.moment(child.seen_at))}</small>}
      <button
        type="button"
        className="small no-print"
        aria-label={`${label}: ${fullName(child)}`}
        onClick={() => onSeen(child)}
      >
        {label}
      </button>
      {mark && mark.error === undefined && <small role="status">{t.saving}</small>}
    </>
  )
}

/** The children of a page, one row each; on a narrow screen, one card each. */
export function ChildTable({ items, ...rest }: Props) {
  const { t } = useWords()
  const columns = useColumns(rest)
  const table = useTable({
    features,
    columns,
    data: items,
    getRowId: ({ real_user_id }) => String(real_user_id),
  })
  return (
    <table className="children cards" aria-label={t.list.title}>
      <thead>
        {table.getHeaderGroups().map((group) => (
          <tr key={group.id}>
            {group.headers.map((header) => (
              <th key={header.id} scope="col">
                <table.FlexRender header={header} />
              </th>
            ))}
          </tr>
        ))}
      </thead>
      <tbody>
        {table.getRowModel().rows.map((row) => (
          <tr key={row.id}>
            {row.getAllCells().map((cell) => (
              <td
                key={cell.id}
                data-column={cell.column.id}
                data-label={String(cell.column.columnDef.header)}
                data-title={cell.column.id === 'name' ? '' : undefined}
              >
                <div>
                  <table.FlexRender cell={cell} />
                </div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
