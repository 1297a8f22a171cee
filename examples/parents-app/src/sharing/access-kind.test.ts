import { expect, test } from 'vitest'
import { byKind, kindOf } from './access-kind'

test('writing is told apart from reading, and an unknown operation is not hidden', () => {
  expect(
    [
      'calendar.saveEvent',
      'calendar.readDay',
      'surveys.submit',
      'plans.set',
      'plans.list',
      'clinics.planNights',
      'clinics.listChildren',
      'firmware.check',
      'charts.recent',
      'toString',
      'moon.land',
    ].map(kindOf),
  ).toEqual([
    'note',
    'days',
    'surveyed',
    'planned',
    'plan',
    'planned',
    'listed',
    'devices',
    'charts',
    'other',
    'other',
  ])
})

test('operations that are the same to a parent are one entry of an hour and a person', () => {
  const seven = { at: '2026-11-23T07:00:00Z', name: 'Kim' }
  const eight = { at: '2026-11-23T08:00:00Z', name: 'Kim' }
  expect(
    byKind([
      { ...eight, operation: 'charts.recent', times: 1 },
      { ...seven, operation: 'charts.recent', times: 2 },
      { ...seven, operation: 'calendar.readDay', times: 1 },
      { ...seven, operation: 'charts.analysis', times: 3 },
      { ...seven, name: 'Lee', operation: 'charts.analysis', times: 1 },
    ]),
  ).toEqual([
    { ...eight, kind: 'charts', times: 1 },
    { ...seven, kind: 'charts', times: 5 },
    { ...seven, kind: 'days', times: 1 },
    { ...seven, name: 'Lee', kind: 'charts', times: 1 },
  ])
})
