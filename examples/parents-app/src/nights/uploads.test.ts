import { expect, test } from 'vitest'
import { summarizeUploads } from './uploads'

const device = {
  real_user_id: 1,
  connected_at: '2026-03-01T12:00:00.000Z',
  last_upload_at: null,
  last_log_file_id: 0,
}

test('of several devices of a child, the first pairing and the last upload count', () => {
  const exchanged = { ...device, connected_at: '2026-03-05T12:00:00.000Z' }
  const uploads = summarizeUploads(
    [
      { ...exchanged, last_upload_at: '2026-03-06T12:10:00.000Z', last_log_file_id: 2 },
      { ...device, last_upload_at: '2026-03-04T12:10:00.000Z', last_log_file_id: 9 },
      { ...device, real_user_id: 2, last_upload_at: '2026-03-08T12:10:00.000Z' },
    ],
    1,
  )
  expect(uploads).toMatchObject({ isNone: false })
  expect(uploads?.pairedAt).toMatch(/^2026-03-01T/)
  expect(uploads?.lastAt).toMatch(/^2026-03-0[67]T..:10:00$/)
})

test('a time that is not known is not the same as no upload', () => {
  expect(summarizeUploads([device], 1)).toMatchObject({ lastAt: undefined, isNone: true })
  expect(summarizeUploads([{ ...device, last_log_file_id: 7 }], 1)).toMatchObject({
    lastAt: undefined,
    isNone: false,
  })
  expect(summarizeUploads([device], 2)).toBeUndefined()
})
