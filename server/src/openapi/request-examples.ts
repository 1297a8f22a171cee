/** Examples of fields that only requests have, by name, wherever their own schema has none. */
export const requestFieldExamples: Record<string, unknown> = {
  current_password: 'correct horse battery staple',
  given: true,
  id_token: 'eyJhbGciOiJSUzI1NiJ9.….…',
  is_basestation_alert_enabled: true,
  is_child_named_in_alerts: false,
  is_device_muted: false,
  is_mine: true,
  is_temp: false,
  minutes: 240,
  new_password: 'another horse battery staple',
  nights_per_week: 5,
  password: 'correct horse battery staple',
  push_token: 'd7Qf0r3kT1uX9pLw2Zb8Vn',
  token: 'Rk3vT9wQx2LmZp7sYc4bNd8e',
}
