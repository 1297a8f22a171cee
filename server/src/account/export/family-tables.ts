import { deviceUpdated, nightOfNoteSql, noteUpdated } from '../../fhir-resources/resources.ts'
import { ACCESS_HOUR_SQL, ACCESS_BY_OTHERS_SQL, clinicOfAccessSql } from '../../trail/accesses.ts'
import { familyTable } from './family-table.ts'

/*
 * What a parent gets of what is kept about the family. `family` names the account and the chosen children; see
 * family-table.ts. `test/contract/account/export-data.test.ts` compares it with the tables of the database.
 */

const CHILDREN = 'real_user_id = ANY (children)'
/** Rows from a function of a child, of a table that is read child by child. */
const ofChild = (rows: string) => `FROM family CROSS JOIN LATERAL ${rows}`
/** The same for each of the base stations that the account has or had. */
const ofEachStation = (rows: string) => `FROM family CROSS JOIN LATERAL (
      SELECT DISTINCT c.basestation_id AS station FROM basestation_connection c WHERE c.root_user_id = account
    ) s CROSS JOIN LATERAL ${rows}`
const ALWAYS = `'-infinity', 'infinity'`

const child = ['integer', 'The id of the child in children.json', 'real_user_id'] as const
const device = ['integer', 'The id of the device', 'device_id'] as const
const UPDATED = ['instant or null', 'When it last changed; null if that was before this was kept'] as const
const basestation = ['integer', 'The id of the base station', 'basestation_id'] as const

export const account = familyTable('account', {
  about: 'The account',
  shows: ['root_user', 'push_token', 'account_activity'],
  isOfAccount: true,
  fields: {
    id: ['integer', 'The id of the account'],
    email: ['text or null', 'Where mail goes, and the name to sign in with'],
    first_name: ['text', 'Of the account holder'],
    last_name: ['text', 'Of the account holder'],
    birthdate: ['text', 'Of the account holder, yyyymmdd'],
    gender: ['text', 'M: male, F: female, N: non-binary, P: prefers not to say'],
    phone: ['text or null', 'E.164'],
    national_code: ['text', 'The country, ISO 3166-1 alpha-2'],
    register_type: ['text', 'E: signed up with e-mail, S: with another provider'],
    is_device_muted: ['boolean', 'No alerts of devices'],
    is_device_alim_talk_enabled: ['boolean', 'Alerts of devices by the messaging app too'],
    is_basestation_alert_enabled: ['boolean', 'Alerts of base stations'],
    is_child_named_in_alerts: ['boolean', 'Alerts about a child name it'],
    language: ['text or null', 'The language of mails, KR or EN; null: that of the country'],
    time_zone: [
      'text or null',
      'The time zone that the account lives in, an IANA name; null: none was chosen',
    ],
    is_bedtime_reminded: ['boolean', 'Reminders of bedtimes'],
    is_missing_night_told: ['boolean', 'Alerts of nights that have not arrived'],
    missing_night_at: ['text', 'When these alerts are sent, hh:mm'],
    quiet_from: ['text or null', 'When quiet hours begin, hh:mm; null: there are none'],
    quiet_to: ['text or null', 'When they end'],
    is_push_registered: [
      'boolean',
      'Push messages reach a phone',
      'EXISTS (SELECT FROM push_token p WHERE p.root_user_id = u.id)',
    ],
    given_versions: ['object', 'The version of each text that is consented to now'],
    password_changed_at: ['instant or null', 'When the password was last changed'],
    created_at: ['instant', 'When the account was made'],
    seen_at: [
      'instant or null',
      'When the account holder was last here, to the day',
      '(SELECT y.seen_at FROM account_activity y WHERE y.root_user_id = u.id)',
    ],
  },
  sealed: {
    first_name: 'root_user.first_name',
    last_name: 'root_user.last_name',
    birthdate: 'root_user.birthdate',
    email: 'root_user.email',
    phone: 'root_user.phone',
  },
  source: 'FROM family JOIN root_user u ON u.id = account',
})

export const consents = familyTable('consents', {
  about: 'A change of a consent, the oldest first',
  shows: ['consent', 'policy'],
  isOfAccount: true,
  fields: {
    kind: ['text', 'What it is about'],
    version: ['text or null', 'Of the text'],
    given: ['boolean', 'false: withdrawn, or never given', 'new_value'],
    source: ['text', 'Where it was said'],
    recorded_at: ['instant', 'When'],
  },
  source: 'FROM family JOIN consent ON root_user_id = account ORDER BY id',
})

export const identities = familyTable('identities', {
  about: 'The account at another provider that signs in to this one',
  shows: ['social_identity'],
  isOfAccount: true,
  fields: {
    provider: ['text', 'The name of the provider'],
    issuer: ['text', 'Its address'],
    subject: ['text', "The provider's name for the account"],
    created_at: ['instant', 'When it was linked'],
  },
  source: 'FROM family JOIN social_identity ON root_user_id = account',
})

export const security_record = familyTable('security_record', {
  about: 'What happened to the account, the oldest first',
  shows: ['security_record'],
  isOfAccount: true,
  fields: {
    recorded_at: ['instant', 'When'],
    action: ['text', 'What; what was refused ends in _refused'],
    reason: ['text or null', 'Why it was refused, or what changed'],
    address: ['text or null', 'The network address that it came from'],
    times: ['integer', 'How often it happened within a minute'],
  },
  sealed: { address: 'security_record.address' },
  source: 'FROM family JOIN security_record ON root_user_id = account ORDER BY id',
})

export const children = familyTable('children', {
  about: 'A child',
  shows: ['real_user'],
  fields: {
    id: ['integer', 'The id of the child; other files call it real_user_id'],
    first_name: ['text', 'Of the child'],
    last_name: ['text', 'Of the child; may be empty'],
    birthdate: ['text', 'yyyymmdd'],
    gender: ['text', 'M: male, F: female, N: non-binary, P: prefers not to say'],
    created_at: ['instant', 'When the child was added'],
    updated_at: UPDATED,
    owner_since: ['date or null', 'When another account handed the child over to this one; null: none has'],
  },
  sealed: {
    first_name: 'real_user.first_name',
    last_name: 'real_user.last_name',
    birthdate: 'real_user.birthdate',
  },
  source: 'FROM family JOIN real_user r ON r.id = ANY (children) ORDER BY id',
})

export const devices = familyTable('devices', {
  about: 'A device that a child wears now or wore before',
  shows: ['device'],
  fields: {
    id: ['integer', 'The id of the device; other files call it device_id', 'd.id'],
    unique_id: [
      'text or null',
      'The UUID that the device carries, by which its records can be read; null if no child of the export wears it now',
      'CASE WHEN d.real_user_id = ANY (children) THEN d.unique_id END',
    ],
    serial_code: ['text', 'Printed on the device'],
    mac_id: ['text', 'The last four characters of its MAC address'],
    device_alias: [
      'text or null',
      'The name that the family gave it; null if no child of the export wears it now',
      'CASE WHEN d.real_user_id = ANY (children) THEN d.device_alias END',
    ],
    real_user_id: [
      'integer or null',
      'The child who wears it now; null if no child of the export does',
      'CASE WHEN d.real_user_id = ANY (children) THEN d.real_user_id END',
    ],
    connected_at: [
      'instant or null',
      'When that child got it',
      'CASE WHEN d.real_user_id = ANY (children) THEN d.connected_at END',
    ],
    firmware_id: [
      'integer or null',
      'The number of its firmware, while that child wears it',
      'CASE WHEN d.real_user_id = ANY (children) THEN d.now_firmware_id END',
    ],
    updated_at: [
      'instant or null',
      'When the name or the firmware last changed, or the child last gave it back; null if that was before this was kept',
      deviceUpdated('d', 'ANY (children)'),
    ],
  },
  sealed: { device_alias: 'device.device_alias' },
  // Not by the records: there may be a million of them.
  source: `FROM family CROSS JOIN LATERAL (SELECT DISTINCT device_id FROM worn WHERE wearer_id = ANY (children)) w
      JOIN device d ON d.id = w.device_id ORDER BY d.id`,
})

export const device_history = familyTable('device_history', {
  about: 'A time in which a child wore a device with one firmware',
  shows: ['device_history'],
  fields: {
    device_id: device,
    real_user_id: child,
    firmware_id: ['integer', 'The number of the firmware'],
    since: ['instant', 'When it began'],
    until: ['instant or null', 'When it ended; null: it goes on'],
    last_upload_at: ['instant or null', 'When a record last arrived'],
  },
  source: `FROM family JOIN device_history ON ${CHILDREN} ORDER BY since, device_id`,
})

const TREATMENT = `SELECT id, updated_at, real_user_id, device_id, treatment_date, treatment_time, last_intensity, movement, finish_flag,
  is_temp, log_file_id, intensity_record, deleted_at`

export const treatments = familyTable('treatments', {
  about: 'One use of a device, as its log says',
  shows: ['treatment'],
  isReadByChild: true,
  fields: {
    id: ['integer', 'The id of the treatment'],
    real_user_id: child,
    device_id: device,
    treatment_date: ['wall clock', "When it began, by the device's own clock, which has no time zone"],
    treatment_time: ['integer', 'How long it lasted, in seconds'],
    last_intensity: ['integer', "The last intensity, in the device's own unit"],
    movement: ['integer', 'Movement as the device counted it'],
    finish_flag: [
      'integer',
      'Why it ended: 1 normal, 2 button, 3 app, 4 faulty contacts, 5 power supply, 6 factory',
    ],
    is_temp: ['boolean', 'The device sent this record during the use, and its last log has not arrived'],
    log_file_id: ['integer', "The device's own number of the log"],
    intensity_record: ['array of integers', 'The intensity every 6 minutes from the start'],
    updated_at: UPDATED,
    deleted_at: ['instant or null', 'When a device or an operator deleted it; null: it counts'],
  },
  source: `FROM (
      ${TREATMENT} ${ofChild(`child_treatments(child, ${ALWAYS})`)}
      UNION ALL
      ${TREATMENT} ${ofChild('deleted_treatments_of(child)')}
    ) t ORDER BY t.treatment_date, t.id`,
})

export const treatment_shifts = familyTable('treatment_shifts', {
  about: 'The correction of the date of a treatment, because the clock of the device was wrong',
  shows: ['shifted_devlog'],
  fields: {
    real_user_id: child,
    device_id: device,
    log_file_id: ['integer', "The device's own number of the log"],
    sent_date: ['wall clock', 'The date that the device sent'],
    date: ['wall clock', 'The date that the treatment has now'],
  },
  source: `FROM family JOIN shifted_devlog ON ${CHILDREN} ORDER BY sent_date`,
})

export const treatment_deletions = familyTable('treatment_deletions', {
  about: "A deletion of a device's logs while the child wore it",
  shows: ['devlog_deletion'],
  fields: {
    real_user_id: child,
    device_id: device,
    deleted_at: ['instant', 'When'],
    deleted_count: ['integer', 'How many treatments it deleted'],
    restored_at: ['instant or null', 'When it was undone'],
    restored_count: ['integer or null', 'How many treatments came back'],
  },
  source: `FROM family JOIN devlog_deletion ON ${CHILDREN} ORDER BY id`,
})

export const rejected_logs = familyTable('rejected_logs', {
  about: 'A log of a device that could not be stored, as it was sent',
  shows: ['rejected_devlog'],
  fields: {
    real_user_id: child,
    reason: ['text', 'Why it could not be stored'],
    content: ['text', 'What the device sent'],
    received_at: ['instant', 'When it arrived last, to the day'],
  },
  sealed: { content: 'rejected_devlog.content' },
  source: `FROM family JOIN rejected_devlog ON ${CHILDREN} ORDER BY id`,
})

const noteFields = {
  id: ['integer', 'The id of the note'],
  real_user_id: child,
  event_date: ['date', 'The day'],
  memo: ['text', 'What was written'],
  event_data: [
    'object',
    'Medication taken (name, and dose in the unit that the family uses), and hospitals visited',
  ],
  version: ['integer', 'How often it was written'],
  saved_at: ['instant', 'When it was last written'],
  is_of_account: [
    'boolean',
    'By this account; false: by another, by an operator, or not known',
    'saved_by IS NOT DISTINCT FROM account',
  ],
} as const
const sealedNote = { memo: 'event.memo', event_data: 'event.event_data' } as const

export const notes = familyTable('notes', {
  about: "A note about a child's day",
  shows: ['event'],
  isReadByChild: true,
  fields: noteFields,
  sealed: sealedNote,
  source: `${ofChild(`events_of(child, ${ALWAYS}) e`)} ORDER BY e.event_date`,
})

/** The same with the use that a note is read beside, which JSON leaves to the reader. */
export const notesWithNights = familyTable('notes_with_nights', {
  about: notes.about,
  shows: notes.shows,
  isReadByChild: true,
  fields: {
    ...noteFields,
    night_treatment_id: [
      'integer or null',
      'The first use of the night that the note is read beside',
      nightOfNoteSql('child', 'zone'),
    ],
    updated_at: ['instant', 'When it, or that use, last changed', noteUpdated('child', 'zone')],
  },
  sealed: sealedNote,
  source: `${ofChild(`events_of(child, ${ALWAYS}) e`)} ORDER BY e.event_date`,
})

export const note_versions = familyTable('note_versions', {
  about: 'What a note was before a change',
  shows: ['event_version'],
  isReadByChild: true,
  fields: {
    note_id: ['integer', 'The id of the note', 'v.event_id'],
    version: ['integer', 'The count of its versions, from 1', 'v.version'],
    event_date: ['date', 'The day', 'v.event_date'],
    memo: ['text', 'What was written', 'v.memo'],
    event_data: ['object', 'As in notes.json', 'v.event_data'],
    saved_at: ['instant', 'When it was written', 'v.saved_at'],
  },
  sealed: { memo: 'event.memo', event_data: 'event.event_data' },
  source: `${ofChild(`event_versions_of(child, ${ALWAYS}) v`)} ORDER BY v.event_id, v.version`,
})

export const surveys = familyTable('surveys', {
  about: 'The scores of a survey about a child',
  shows: ['survey'],
  isReadByChild: true,
  fields: {
    id: ['integer', 'The id of the survey'],
    real_user_id: child,
    attention_score: ['integer', 'Score of the questions about attention'],
    impulsivity_score: ['integer', 'Score of the questions about impulsivity'],
    disorder_score: ['integer', 'Score of the questions about the disorder'],
    created_at: ['instant', 'When it was answered'],
  },
  source: `${ofChild(`surveys_of(child, ${ALWAYS}) s`)} ORDER BY s.created_at, s.id`,
})

const planFields = {
  id: ['integer', 'The id of the plan'],
  real_user_id: child,
  from: ['date', 'The first evening', 'from_date'],
  nights_per_week: ['integer', 'How many nights of a week should reach the goal; 0 is a pause'],
  minutes: ['integer', 'The use in a night that reaches the goal'],
  bedtime: ['text or null', 'When to be reminded, hh:mm'],
  set_by: ['text', 'parent or clinic'],
  set_at: ['instant', 'When it was set'],
} as const

const PLANS = `FROM family JOIN plan ON ${CHILDREN} ORDER BY real_user_id, from_date`

export const plans = familyTable('plans', {
  about: 'What is planned for a child from an evening on, until the next plan begins',
  shows: ['plan'],
  fields: planFields,
  source: PLANS,
})

/** The same with its end, which JSON leaves to the reader. */
export const planPeriods = familyTable('plan_periods', {
  about: plans.about,
  shows: plans.shows,
  fields: {
    ...planFields,
    until: [
      'date or null',
      'The last evening; null: no other plan follows',
      'lead(from_date) OVER (PARTITION BY real_user_id ORDER BY from_date) - 1',
    ],
  },
  source: PLANS,
})

export const basestations = familyTable('basestations', {
  about: 'A time in which a base station was connected to the account',
  shows: ['basestation', 'basestation_connection'],
  isOfAccount: true,
  fields: {
    basestation_id: basestation,
    unique_id: [
      'text or null',
      'The UUID that the base station carries; null once it is disconnected',
      'CASE WHEN c.disconnected_at IS NULL THEN b.unique_id END',
    ],
    serial_code: ['text', 'Printed on the base station'],
    connected_at: ['instant', 'When it was connected', 'c.connected_at'],
    disconnected_at: [
      'instant or null',
      'When it was disconnected; null: it is connected',
      'c.disconnected_at',
    ],
  },
  source: `FROM family JOIN basestation_connection c ON c.root_user_id = account
    JOIN basestation b ON b.id = c.basestation_id ORDER BY c.connected_at, c.id`,
})

export const readings = familyTable('readings', {
  about:
    'A measurement of a base station, as long as it is kept. It is about the home: no record says which child slept there',
  shows: ['sleep_reading'],
  isOfAccount: true,
  fields: {
    basestation_id: basestation,
    measured_at: ['wall clock', "When, by the base station's own clock, which has no time zone"],
    temperature: ['number', '°C'],
    humidity: ['number', 'Per cent'],
    brightness: ['integer', "In the base station's own unit"],
    noise: ['integer', "In the base station's own unit"],
  },
  source: `${ofEachStation('basestation_readings(station, account)')} ORDER BY basestation_id, measured_at`,
})

const readingDay = {
  date: ['date', "By the base station's own clock"],
  readings: ['integer', 'How many measurements there were'],
  temperature: ['number', '°C, to two decimals', 'round(temperature / readings, 2)::float8'],
  humidity: ['number', 'Per cent, to two decimals', 'round(humidity / readings, 2)::float8'],
  brightness: [
    'number',
    "In the base station's own unit, to two decimals",
    'round(brightness::numeric / readings, 2)::float8',
  ],
  noise: [
    'number',
    "In the base station's own unit, to two decimals",
    'round(noise::numeric / readings, 2)::float8',
  ],
} as const

export const reading_days = familyTable('reading_days', {
  about: 'The means of what a base station measured on one date. They stay when single readings are dropped',
  shows: ['reading_day'],
  isOfAccount: true,
  fields: {
    basestation_id: basestation,
    ...readingDay,
  },
  source: `${ofEachStation(`basestation_daily_readings(station, account, ${ALWAYS}) r`)} ORDER BY basestation_id, r.date`,
})

export const past_reading_days = familyTable('past_reading_days', {
  about:
    'The means of what a base station of a former owner measured on one date, before the child was handed over to this account',
  shows: ['past_reading_day'],
  fields: {
    real_user_id: child,
    ...readingDay,
  },
  source: `FROM family JOIN past_reading_day r ON ${CHILDREN} ORDER BY real_user_id, r.date`,
})

export const alerts = familyTable('alerts', {
  about: 'An alert that was sent, or waits to be sent',
  shows: ['alert'],
  isOfAccount: true,
  fields: {
    channel: ['text', 'push, alim_talk or mail'],
    kind: ['text', 'What it told of'],
    real_user_id: ['integer or null', 'The child that it was about'],
    outcome: ['text or null', 'What became of it; null: it waits'],
    created_at: ['instant', 'When'],
  },
  source: 'FROM family JOIN alert ON root_user_id = account ORDER BY id',
})

export const shares = familyTable('shares', {
  about: 'Somebody who may see a child, or could',
  shows: ['membership', 'transfer_offer'],
  fields: {
    id: ['integer', 'The id of the share', 'm.id'],
    real_user_id: ['integer', 'The id of the child in children.json', 'm.real_user_id'],
    first_name: ['text', 'Of that person', 'u.first_name'],
    email: ['text or null', 'Of that person', 'u.email'],
    role: ['text', 'guardian: may write too; viewer: may only read', 'm.role'],
    since: ['instant', 'When it began', 'm.since'],
    until: ['date or null', 'Its last day; null: no end is set', 'm.until'],
    ended_at: ['instant or null', 'When it was ended', 'm.ended_at'],
    offered_until: [
      'instant or null',
      'Until when the child is offered to this person; null: it is not',
      'o.expires_at',
    ],
  },
  sealed: { first_name: 'root_user.first_name', email: 'root_user.email' },
  source: `FROM family JOIN membership m ON m.${CHILDREN} JOIN root_user u ON u.id = m.root_user_id
    LEFT JOIN transfer_offer o ON o.membership_id = m.id ORDER BY m.id`,
})

export const shared_with_me = familyTable('shared_with_me', {
  about: 'A child of another account that this one may see, or could. Its data belongs to that account',
  shows: [],
  isOfAccount: true,
  fields: {
    first_name: ['text', 'Of the child', 'r.first_name'],
    role: ['text', 'guardian or viewer', 'm.role'],
    since: ['instant', 'When it began', 'm.since'],
    until: ['date or null', 'Its last day; null: no end is set', 'm.until'],
    ended_at: ['instant or null', 'When it was ended', 'm.ended_at'],
  },
  sealed: { first_name: 'real_user.first_name' },
  source: `FROM family JOIN membership m ON m.root_user_id = account JOIN real_user r ON r.id = m.real_user_id
    ORDER BY m.id`,
})

export const clinics = familyTable('clinics', {
  about: 'A clinic that may see a child, or could',
  shows: ['clinic_connection'],
  fields: {
    id: ['integer', 'The id of the connection', 'c.id'],
    real_user_id: ['integer', 'The id of the child in children.json', 'c.real_user_id'],
    clinic: ['text', 'The name of the clinic', 'k.name'],
    record_number: ['text or null', 'By which the clinic knows the child', 'c.record_number'],
    since: ['instant', 'When it began', 'c.since'],
    until: ['date or null', 'Its last day; null: no end is set', 'c.until'],
    ended_at: ['instant or null', 'When it was ended', 'c.ended_at'],
    seen_at: ['instant or null', 'When the clinic last marked the child as seen', 'c.seen_at'],
  },
  sealed: { record_number: 'clinic_connection.record_number' },
  source: `FROM family JOIN clinic_connection c ON c.${CHILDREN} JOIN clinic k ON k.id = c.clinic_id ORDER BY c.id`,
})

export const invitations = familyTable('invitations', {
  about: 'An open invitation to see a child',
  shows: ['invitation'],
  fields: {
    real_user_id: child,
    email: ['text', 'Who is invited'],
    role: ['text', 'guardian or viewer'],
    until: ['date or null', 'The last day of the share'],
    created_at: ['instant', 'When it was sent'],
    expires_at: ['instant', 'When it can no longer be accepted'],
  },
  sealed: { email: 'invitation.email' },
  source: `FROM family JOIN invitation ON ${CHILDREN} ORDER BY id`,
})

export const grants = familyTable('grants', {
  about: 'What another service was allowed',
  shows: ['access_grant', 'access_grant_child'],
  fields: {
    id: ['integer', 'The id of the grant', 'g.id'],
    service: ['text', 'The name of the service', 'c.name'],
    publisher: ['text', 'Who runs it', 'c.publisher'],
    scopes: ['array of texts', 'What it was allowed', 'g.scopes'],
    children: [
      'array of integers',
      'The ids of the children of this export that it was for',
      `ARRAY(SELECT a.real_user_id FROM access_grant_child a WHERE a.grant_id = g.id AND a.${CHILDREN} ORDER BY 1)`,
    ],
    granted_at: ['instant', 'When', 'g.granted_at'],
    expires_at: ['instant or null', 'When it ends by itself', 'g.expires_at'],
    ended_at: ['instant or null', 'When it was ended', 'g.ended_at'],
    last_used_at: ['instant or null', 'When the service last came', 'g.last_used_at'],
  },
  source: `FROM family JOIN access_grant g ON g.root_user_id = account AND EXISTS (
      SELECT FROM access_grant_child a WHERE a.grant_id = g.id AND a.${CHILDREN})
    JOIN client c ON c.id = g.client_id ORDER BY g.id`,
})

export const accesses = familyTable('accesses', {
  about: "How often others have read or changed a child's data within an hour",
  shows: ['trail'],
  isReadByChild: true,
  fields: {
    real_user_id: child,
    hour: ['instant', 'The beginning of the hour'],
    by: ['text', 'The first name of the person, or the name of the service', 'who'],
    clinic: ['text or null', 'The clinic where the person works; null: they are of none'],
    operation: ['text', 'What was done'],
    times: ['integer', 'How often'],
  },
  sealed: { by: 'root_user.first_name' },
  source: `FROM (
      SELECT a.*, coalesce(u.first_name, c.name, '') AS who, ${clinicOfAccessSql('(SELECT zone FROM family)')} AS clinic
      FROM (
        SELECT a.real_user_id, ${ACCESS_HOUR_SQL} AS hour, actor_kind, actor::int AS actor, operation, max(at) AS newest, sum(times)::int AS times
        FROM family JOIN trail a ON a.real_user_id = child AND ${ACCESS_BY_OTHERS_SQL}
        GROUP BY 1, 2, 3, 4, 5
      ) a
      JOIN real_user r ON r.id = a.real_user_id
      LEFT JOIN root_user u ON actor_kind = 'member' AND u.id = a.actor
      LEFT JOIN client c ON actor_kind = 'client' AND c.id = a.actor
    ) a ORDER BY hour, who, operation`,
})

/** By the name of the file, in the order of the zip. */
export const familyTables = {
  account,
  consents,
  identities,
  security_record,
  children,
  devices,
  device_history,
  treatments,
  treatment_deletions,
  treatment_shifts,
  rejected_logs,
  notes,
  note_versions,
  surveys,
  plans,
  basestations,
  readings,
  reading_days,
  past_reading_days,
  alerts,
  shares,
  shared_with_me,
  clinics,
  invitations,
  grants,
  accesses,
}

/** What is kept about a family and not exported, and why. */
export const tablesNotExported: Record<string, string> = {
  session: 'It holds hashes of tokens alone',
  reset_token: 'It holds hashes of tokens alone',
  email_confirmation: 'It holds hashes of tokens, and an address that is not the account’s yet',
  known_ip_address: 'It holds hashes of network addresses that nobody can read',
  oauth_state: 'It holds hashes of codes and tokens alone',
  unknown_ip_failures: 'It counts failed sign-ins; security_record.json tells of each',
  device_firmware: 'It says which firmware a device was offered; devices.json has the one that it runs',
  devlog_shift: 'It is about a device; treatment_shifts.json tells of each treatment',
  clinic_member: 'It says who works in a clinic; none of them has a family here',
  passkey: 'It is of those who work in clinics',
  outdated_figures: 'An older version says there whose sums are to be made again',
  change: 'It tells others that a record has changed; the records are here',
  kept_response: 'It repeats what calls of the last day were answered; the records are here',
  fhir_export_part:
    'It repeats records for a service that has asked for them, for a day; the records are here',
  night_watch: 'It says when to look at a night next; plans.json and treatments.json say the rest',
  trail_upload: 'It counts the uploads of today by the own devices; treatments.json has the records',
}
