/** What every generated client is asked to do. Each call rejects, or resolves to something else, if it does not work. */
export interface Calls {
  /** Sends the fields of a sign-in, and resolves to the access token. */
  signIn: (username: string, password: string) => Promise<string>
  /** Resolves to the id of the account. */
  me: (token: string) => Promise<number>
  /** Resolves to the id of the first child. */
  child: (token: string) => Promise<number>
  /** Resolves to the number of nights. */
  chart: (token: string, real_user_id: number, current_date: string) => Promise<number>
  /** Uploads a bare array; resolves to the message. */
  upload: (unique_id: string, treatment_date: string) => Promise<string>
  /** Sends a DELETE with a body for a child that does not exist; resolves to the text of the error. */
  deleteUnknown: (token: string) => Promise<unknown>
  /** Resolves to the bytes of a report. */
  pdf: (token: string, real_user_id: number, current_date: string) => Promise<Uint8Array>
}

export const UNKNOWN_IDS = { real_user_id: 2_000_000_000, unique_id: '7b1f0c52-3a8e-4d1b-9c60-2f5e8a4d9b13' }

export const exampleDevlogItem = (unique_id: string, treatment_date: string) => ({
  unique_id,
  detail_data: { treatment_date, finish_flag: '1' as const, last_intensity: 9, treatment_time: 28_800 },
  intensity_record: [{ intensity: 3 }, { intensity: 9 }],
  log_file_id: 1,
})
