import createClient from 'openapi-fetch'
import type { paths } from '../made/openapi-fetch/schema.ts'
import { exampleDevlogItem, UNKNOWN_IDS } from './calls.ts'
import type { Calls } from './calls.ts'

/** openapi-typescript with openapi-fetch. A file needs `parseAs`. */
export function openApiFetch(baseUrl: string): Calls {
  const api = createClient<paths>({ baseUrl })
  const as = (token: string) => ({ Authorization: `Bearer ${token}` })
  const expected = <Data>({ data, error }: { data?: Data; error?: unknown }): Data => {
    if (data === undefined) throw new Error(JSON.stringify(error))
    return data
  }
  return {
    signIn: async (username, password) =>
      expected(await api.POST('/api/v1/alpha/auth/email/signin', { body: { username, password } }))
        .access_token,
    me: async (token) => expected(await api.GET('/api/v1/beta/user/me', { headers: as(token) })).root_user_id,
    child: async (token) =>
      expected(await api.GET('/api/v1/beta/user/real-user', { headers: as(token) }))[0]?.id ?? 0,
    async chart(token, real_user_id, current_date) {
      const query = { real_user_id, current_date, select_mode: 1 }
      const response = await api.GET('/api/v1/beta/chart/recent', { headers: as(token), params: { query } })
      return expected(response).treatment_time_data.length
    },
    upload: async (unique_id, treatment_date) =>
      expected(
        await api.POST('/api/v1/gamma/device/devlog', {
          body: [exampleDevlogItem(unique_id, treatment_date)],
        }),
      ).message,
    deleteUnknown: async (token) =>
      (await api.DELETE('/api/v1/beta/user/delete-real-user', { headers: as(token), body: UNKNOWN_IDS }))
        .error?.detail,
    async pdf(token, real_user_id, current_date) {
      const query = { real_user_id, current_date, select_mode: 0, language: 'EN' as const }
      const response = await api.GET('/api/v1/beta/pdf/export', {
        headers: as(token),
        params: { query },
        parseAs: 'arrayBuffer',
      })
      return new Uint8Array(expected(response))
    },
  }
}
