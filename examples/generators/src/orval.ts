import {
  accountMe,
  authSignIn,
  chartsRecent,
  childrenDelete,
  childrenList,
  devlogsUpload,
  reportsExportPdf,
} from '../made/orval/client.ts'
import { exampleDevlogItem, UNKNOWN_IDS } from './calls.ts'
import type { Calls } from './calls.ts'

/**
 * orval with `fetch`. It leaves the media type to the caller where a body may be JSON or a form, as at sign-in; the other
 * bodies, and files, work as generated.
 */
export function orval(): Calls {
  const as = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })
  const expected = <Output extends { status: number; data: unknown }>(response: Output) => {
    if (response.status !== 200) throw new Error(JSON.stringify(response.data))
    return response as Extract<Output, { status: 200 }>
  }
  return {
    async signIn(username, password) {
      const headers = { 'Content-Type': 'application/json' }
      return expected(await authSignIn({ username, password }, { headers })).data.access_token
    },
    me: async (token) => expected(await accountMe(as(token))).data.root_user_id,
    child: async (token) => expected(await childrenList(as(token))).data[0]?.id ?? 0,
    async chart(token, real_user_id, current_date) {
      const response = await chartsRecent({ real_user_id, current_date, select_mode: 1 }, as(token))
      return expected(response).data.treatment_time_data.length
    },
    upload: async (unique_id, treatment_date) =>
      expected(await devlogsUpload([exampleDevlogItem(unique_id, treatment_date)])).data.message,
    async deleteUnknown(token) {
      const response = await childrenDelete(UNKNOWN_IDS, undefined, as(token))
      return response.status === 404 ? response.data.detail : undefined
    },
    async pdf(token, real_user_id, current_date) {
      const query = { real_user_id, current_date, select_mode: 0, language: 'EN' as const }
      const { data } = expected(await reportsExportPdf(query, as(token)))
      return new Uint8Array(await (data as Blob).arrayBuffer())
    },
  }
}
