import type { Client } from '@kubb/plugin-client/clients/fetch'
import { accountMe } from '../made/kubb/clients/account/me.ts'
import { authSignIn } from '../made/kubb/clients/auth/signIn.ts'
import { chartsRecent } from '../made/kubb/clients/charts/recent.ts'
import { childrenDelete } from '../made/kubb/clients/children/delete.ts'
import { childrenList } from '../made/kubb/clients/children/list.ts'
import { devlogsUpload } from '../made/kubb/clients/devlogs/upload.ts'
import { reportsExportPdf } from '../made/kubb/clients/reports/exportPdf.ts'
import { exampleDevlogItem, UNKNOWN_IDS } from './calls.ts'
import type { Calls } from './calls.ts'

/**
 * Kubb with a client of one's own, as its guide has it: the one that comes with it names no media type, reads every response
 * as JSON, and takes errors for data.
 */
export function kubb(baseUrl: string): Calls {
  const client = (async ({ url, method = 'GET', params, data, headers, responseType }) => {
    const query = new URLSearchParams(
      Object.entries(params ?? {}).map(([name, value]) => [name, String(value)]),
    )
    const response = await fetch(`${baseUrl}${url}?${query}`, {
      method,
      headers: { ...(data === undefined ? {} : { 'Content-Type': 'application/json' }), ...Object(headers) },
      ...(data === undefined ? {} : { body: JSON.stringify(data) }),
    })
    if (!response.ok) throw Object.assign(new Error(`${response.status}`), await response.json())
    const content = await (responseType === 'blob' ? response.blob() : response.json())
    return {
      data: content,
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    }
  }) as Client
  const as = (token: string) => ({ client, headers: { Authorization: `Bearer ${token}` } })
  return {
    signIn: async (username, password) =>
      (await authSignIn({ data: { username, password } }, { client })).access_token,
    me: async (token) => (await accountMe(as(token))).root_user_id,
    child: async (token) => (await childrenList(as(token)))[0]?.id ?? 0,
    async chart(token, real_user_id, current_date) {
      const params = { real_user_id, current_date, select_mode: 1 }
      return (await chartsRecent({ params }, as(token))).treatment_time_data.length
    },
    upload: async (unique_id, treatment_date) =>
      (await devlogsUpload({ data: [exampleDevlogItem(unique_id, treatment_date)] }, { client })).message,
    deleteUnknown: (token) =>
      childrenDelete({ data: UNKNOWN_IDS }, as(token)).catch(({ detail }: { detail: unknown }) => detail),
    async pdf(token, real_user_id, current_date) {
      const params = { real_user_id, current_date, select_mode: 0, language: 'EN' as const }
      const blob = await reportsExportPdf({ params }, { ...as(token), responseType: 'blob' })
      return new Uint8Array(await blob.arrayBuffer())
    },
  }
}
