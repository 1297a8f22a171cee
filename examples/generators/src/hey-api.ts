import { client } from '../made/hey-api/client.gen.ts'
import {
  accountMe,
  authSignIn,
  chartsRecent,
  childrenDelete,
  childrenList,
  devlogsUpload,
  reportsExportPdf,
} from '../made/hey-api/sdk.gen.ts'
import { exampleDevlogItem, UNKNOWN_IDS } from './calls.ts'
import type { Calls } from './calls.ts'

/** @hey-api/openapi-ts: everything as generated. */
export function heyApi(baseUrl: string): Calls {
  client.setConfig({ baseUrl })
  const throwOnError = true
  return {
    signIn: async (username, password) =>
      (await authSignIn({ body: { username, password }, throwOnError })).data.access_token,
    me: async (auth) => (await accountMe({ auth, throwOnError })).data.root_user_id,
    child: async (auth) => (await childrenList({ auth, throwOnError })).data[0]?.id ?? 0,
    async chart(auth, real_user_id, current_date) {
      const query = { real_user_id, current_date, select_mode: 1 }
      return (await chartsRecent({ auth, query, throwOnError })).data.treatment_time_data.length
    },
    upload: async (unique_id, treatment_date) =>
      (await devlogsUpload({ body: [exampleDevlogItem(unique_id, treatment_date)], throwOnError })).data
        .message,
    deleteUnknown: async (auth) => (await childrenDelete({ auth, body: UNKNOWN_IDS })).error?.detail,
    async pdf(auth, real_user_id, current_date) {
      const query = { real_user_id, current_date, select_mode: 0, language: 'EN' as const }
      const { data } = await reportsExportPdf({ auth, query, throwOnError })
      return new Uint8Array(await (data as Blob).arrayBuffer())
    },
  }
}
