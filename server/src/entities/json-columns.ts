/** Medication taken and hospitals visited on one day. */
export interface EventData {
  medication: { medication_name: string; medication_dose: number }[]
  hospital: string[]
}

/** The contents of each `jsonb` column, by `table.column`. An encrypted value is a string. */
export interface JsonColumns {
  'client.jwks': { keys: object[] }
  'event.event_data': EventData | string
  'event_version.event_data': EventData | string
  'oauth_state.payload': object
  'root_user.given_versions': Partial<Record<string, string>>
}
