import { defineEntity, p } from '@mikro-orm/postgresql'
import type { JsonColumns } from './json-columns.ts'

/* The tables and views that the migrations make. `pnpm generate` writes this file; comments come from COMMENT ON. */

/** The access that an account has granted to a client; in force until it is ended or expires, unless either of them is blocked. */
export const AccessGrant = defineEntity({
  name: 'AccessGrant',
  tableName: 'access_grant',
  properties: {
    id: p.integer().primary().autoincrement(),
    root_user_id: p.integer(),
    client_id: p.integer(),
    scopes: p.array().columnType('text[]'),
    granted_at: p.datetime().columnType('timestamptz(3)').defaultRaw('now()'),
    expires_at: p.datetime().columnType('timestamptz(3)').nullable(),
    ended_at: p.datetime().columnType('timestamptz(3)').nullable(),
    /** To the minute. */
    last_used_at: p.datetime().columnType('timestamptz(3)').nullable(),
  },
})

/** A child that a grant is for. */
export const AccessGrantChild = defineEntity({
  name: 'AccessGrantChild',
  tableName: 'access_grant_child',
  properties: {
    grant_id: p.integer().primary().autoincrement(false),
    real_user_id: p.integer().primary().autoincrement(false),
  },
})

/** When the holder of an account was last here, and was told that the account will be erased; see `account/inactive-accounts.ts`. */
export const AccountActivity = defineEntity({
  name: 'AccountActivity',
  tableName: 'account_activity',
  properties: {
    root_user_id: p.integer().primary().autoincrement(false),
    /** To the day. */
    seen_at: p.datetime().columnType('timestamptz'),
    told_at: p.datetime().columnType('timestamptz').nullable(),
  },
})

/** One alert to a parent by one channel: ids only. The outbox of `delivery/send-alerts.ts`. */
export const Alert = defineEntity({
  name: 'Alert',
  tableName: 'alert',
  properties: {
    id: p.bigint().primary().autoincrement(),
    /** A receiver knows by it an alert that arrives twice. */
    uuid: p.uuid().defaultRaw('gen_random_uuid()'),
    channel: p.enum(['push', 'alim_talk', 'mail']),
    kind: p.text(),
    /** The hash of its subject: one alert for each. */
    cause: p.uuid(),
    root_user_id: p.integer(),
    real_user_id: p.integer().nullable(),
    device_id: p.integer().nullable(),
    basestation_id: p.integer().nullable(),
    attempts: p.smallint().defaultRaw('0'),
    /** When the next try is due; null once there will be none. */
    due_at: p.datetime().columnType('timestamptz').nullable().defaultRaw('now()'),
    outcome: p.text().nullable(),
    created_at: p.datetime().columnType('timestamptz').defaultRaw('now()'),
    /** Of the night that it is about; such an alert is tried once. */
    evening: p.date().nullable(),
    /** After this it is not sent; null: whenever it can be. */
    expires_at: p.datetime().columnType('timestamptz').nullable(),
  },
})

/** A base station that the operator has registered; `root_user_id` is null while it is not connected to an account. */
export const Basestation = defineEntity({
  name: 'Basestation',
  tableName: 'basestation',
  properties: {
    id: p.integer().primary().autoincrement(),
    unique_id: p.uuid(),
    serial_code: p.text(),
    root_user_id: p.integer().nullable(),
    connected_at: p.datetime().columnType('timestamptz').nullable(),
    created_at: p.datetime().columnType('timestamptz').defaultRaw('now()'),
  },
})

/** One time a base station was connected to an account; at most one of a station is open (`disconnected_at` null). */
export const BasestationConnection = defineEntity({
  name: 'BasestationConnection',
  tableName: 'basestation_connection',
  properties: {
    id: p.integer().primary().autoincrement(),
    basestation_id: p.integer(),
    root_user_id: p.integer(),
    connected_at: p.datetime().columnType('timestamptz').defaultRaw('now()'),
    disconnected_at: p.datetime().columnType('timestamptz').nullable(),
  },
})

/** Base stations, locked in the shard of their readings; empty on one machine. */
export const BasestationLock = defineEntity({
  name: 'BasestationLock',
  tableName: 'basestation_lock',
  properties: {
    id: p.integer().primary().autoincrement(false),
  },
})

/** A closed block of the trail or of the security record, signed together with the one before it; see `trail/chain.ts`. */
export const ChainBlock = defineEntity({
  name: 'ChainBlock',
  tableName: 'chain_block',
  properties: {
    record: p.text().primary(),
    number: p.bigint().primary().autoincrement(false),
    /** The month of all its rows, in the trail. */
    month: p.date().nullable(),
    rows: p.integer(),
    closed_at: p.datetime().columnType('timestamptz(3)'),
    hash: p.blob(),
  },
})

/** Where the chain of the trail or of the security record begins and ends, signed; see `trail/chain.ts`. */
export const ChainHead = defineEntity({
  name: 'ChainHead',
  tableName: 'chain_head',
  properties: {
    record: p.text().primary(),
    first_block: p.bigint(),
    last_block: p.bigint(),
    /** Rows of earlier months are purged. */
    kept_since: p.date().nullable(),
    hash: p.blob().nullable(),
  },
})

/** A change of a child's data, for clients that follow the child: docs/decisions/changes-feed.md. */
export const Change = defineEntity({
  name: 'Change',
  tableName: 'change',
  properties: {
    /** Its place, with `id`: above all transactions that had ended when its own first wrote a change, and not below its own. */
    xact_id: p.string().columnType('xid8').primary().defaultRaw('feed_place()'),
    id: p.bigint().primary().autoincrement(),
    kind: p.text(),
    real_user_id: p.integer(),
    /** The treatment, event, survey, child or grant. */
    subject_id: p.bigint(),
    date: p.date().nullable(),
    at: p.datetime().columnType('timestamptz(3)').defaultRaw('now()'),
    /** Null for all who may read the child's data; otherwise it is for this account alone, or for the client that has a grant of it. */
    account_id: p.integer().nullable(),
    client_id: p.integer().nullable(),
  },
})

/** Children, locked in the shard of their notes and surveys; empty on one machine. */
export const ChildLock = defineEntity({
  name: 'ChildLock',
  tableName: 'child_lock',
  properties: {
    id: p.integer().primary().autoincrement(false),
  },
})

/** Another service that may ask parents for their consent. Operators add them. */
export const Client = defineEntity({
  name: 'Client',
  tableName: 'client',
  properties: {
    id: p.integer().primary().autoincrement(),
    /** The name that the service has in OAuth. */
    client_id: p.text(),
    name: p.text(),
    publisher: p.text(),
    url: p.text(),
    contact: p.text(),
    redirect_uris: p.array().columnType('text[]'),
    scopes: p.array().columnType('text[]'),
    /** Whether it cannot keep a secret, like an app on a phone. */
    is_public: p.boolean(),
    secret_hash: p.blob().nullable(),
    /** The public keys of a service that signs with its own. */
    jwks: p.json<JsonColumns['client.jwks']>().nullable(),
    blocked_at: p.datetime().columnType('timestamptz(3)').nullable(),
    created_at: p.datetime().columnType('timestamptz(3)').defaultRaw('now()'),
    /** How it sends its secret: in the body, or in the header `Authorization`. */
    is_secret_in_body: p.boolean().defaultRaw('false'),
    /** The secret before a rotation, valid for a while beside the present one. */
    previous_secret_hash: p.blob().nullable(),
    previous_secret_until: p.datetime().columnType('timestamptz(3)').nullable(),
  },
})

/** A clinic that parents let in by its code. */
export const Clinic = defineEntity({
  name: 'Clinic',
  tableName: 'clinic',
  properties: {
    id: p.integer().primary().autoincrement(),
    name: p.text(),
    url: p.text().nullable(),
    /** 12 characters, as `clinics/code.ts` makes them; null once the clinic is removed. */
    code: p.text().nullable(),
    created_at: p.datetime().columnType('timestamptz(3)').defaultRaw('now()'),
    removed_at: p.datetime().columnType('timestamptz(3)').nullable(),
  },
})

/** The right of a clinic to a child, through the day `until` or until it is ended, and the place of the child in the clinic. */
export const ClinicConnection = defineEntity({
  name: 'ClinicConnection',
  tableName: 'clinic_connection',
  properties: {
    id: p.integer().primary().autoincrement(),
    clinic_id: p.integer(),
    real_user_id: p.integer(),
    since: p.datetime().columnType('timestamptz(3)'),
    /** The last day, in the time zone of the service. */
    until: p.date().nullable(),
    ended_at: p.datetime().columnType('timestamptz(3)').nullable(),
    /** By which the clinic knows the child. */
    record_number: p.text().nullable(),
    /** When somebody of the clinic last marked the child as seen. */
    seen_at: p.datetime().columnType('timestamptz(3)').nullable(),
    seen_by: p.integer().nullable(),
    /** The day on which `figures_of` has said this and all that follows: it is about the evenings before. Null until the list is first read, and after a change of the child; see `mark_figures`. */
    figures_day: p.date().nullable(),
    /** The goal of evenings without a plan, in minutes. */
    figures_goal: p.integer().nullable(),
    last_night: p.date().nullable(),
    last_upload_at: p.datetime().columnType('timestamptz').nullable(),
    /** When a record last arrived, or the child was added. */
    silent_since: p.datetime().columnType('timestamptz').nullable(),
    clock_refused_at: p.datetime().columnType('timestamptz').nullable(),
    used_28: p.integer().nullable(),
    reached_28: p.integer().nullable(),
    median_seconds_28: p.double().nullable(),
    used_28_before: p.integer().nullable(),
    contact_losses_28: p.integer().nullable(),
    is_below_plan: p.boolean().nullable(),
    is_falling: p.boolean().nullable(),
    has_contact_loss: p.boolean().nullable(),
  },
})

/** An open offer to work in a clinic; its token is kept only as a hash. */
export const ClinicInvitation = defineEntity({
  name: 'ClinicInvitation',
  tableName: 'clinic_invitation',
  properties: {
    id: p.integer().primary().autoincrement(),
    token_hash: p.blob(),
    clinic_id: p.integer(),
    role: p.enum(['admin', 'clinician']),
    email: p.text(),
    /** Keyed hash of the address in lower case. */
    email_hash: p.blob(),
    created_at: p.datetime().columnType('timestamptz(3)'),
    expires_at: p.datetime().columnType('timestamptz(3)'),
  },
})

/** A clinician who works in a clinic, or did within the last year. */
export const ClinicMember = defineEntity({
  name: 'ClinicMember',
  tableName: 'clinic_member',
  properties: {
    id: p.integer().primary().autoincrement(),
    clinic_id: p.integer(),
    root_user_id: p.integer(),
    role: p.enum(['admin', 'clinician']),
    since: p.datetime().columnType('timestamptz(3)'),
    ended_at: p.datetime().columnType('timestamptz(3)').nullable(),
  },
})

/** One change of a consent. Rows are only added; the database refuses every other change. */
export const Consent = defineEntity({
  name: 'Consent',
  tableName: 'consent',
  properties: {
    id: p.bigint().primary().autoincrement(),
    root_user_id: p.integer(),
    kind: p.enum(['push', 'marketing', 'terms', 'privacy', 'health-data', 'guardian']),
    /** Null: the first answer. */
    old_value: p.boolean().nullable(),
    new_value: p.boolean(),
    /** Where the change was made. */
    source: p.text(),
    recorded_at: p.datetime().columnType('timestamptz(3)'),
    /** The version of the text; null for push messages and marketing, which have none. */
    version: p.text().nullable(),
  },
})

/** A key that values may be encrypted with. */
export const DataKey = defineEntity({
  name: 'DataKey',
  tableName: 'data_key',
  properties: {
    id: p.text().primary(),
    /** The id, encrypted with the key. */
    proof: p.text(),
    since: p.datetime().columnType('timestamptz(3)').defaultRaw('now()'),
  },
})

/** A device that the operator has registered; `real_user_id` is null while it is not connected to a child. */
export const Device = defineEntity({
  name: 'Device',
  tableName: 'device',
  properties: {
    id: p.integer().primary().autoincrement(),
    unique_id: p.uuid(),
    serial_code: p.text(),
    /** The last four characters of the MAC address. */
    mac_id: p.text(),
    device_alias: p.text(),
    real_user_id: p.integer().nullable(),
    connected_at: p.datetime().columnType('timestamptz').nullable(),
    now_firmware_id: p.integer().defaultRaw('1'),
    last_log_file_id: p.integer().defaultRaw('0'),
    created_at: p.datetime().columnType('timestamptz').defaultRaw('now()'),
    /** Whether `shifted_devlog` may have another date for the records that it sends. */
    has_shifted_devlogs: p.boolean().defaultRaw('false'),
    /** When a record of the present wearer last arrived; null before the first. */
    last_upload_at: p.datetime().columnType('timestamptz').nullable(),
    /** No temporary record has a later date, so that a complete one of a later date can be stored without a look at the others. */
    last_temporary_date: p.datetime().columnType('timestamp').defaultRaw("'infinity'::timestamp without time zone"),
    /** The kind of hardware, as manifests of firmware name it; a device gets firmware of its own kind alone. */
    hardware: p.text().defaultRaw("'unknown'::text"),
    /** When its wearer, name or firmware last changed; null if that was before this was kept. */
    updated_at: p.datetime().columnType('timestamptz(3)').nullable().defaultRaw('now()'),
    /** SHA-256 of the key by which the device asks for firmware as a client of hawkBit; null if it has none. */
    ddi_key_hash: p.blob().nullable(),
  },
})

/** A firmware that a device was offered, and what became of it. */
export const DeviceFirmware = defineEntity({
  name: 'DeviceFirmware',
  tableName: 'device_firmware',
  properties: {
    device_id: p.integer().primary().autoincrement(false),
    firmware_id: p.integer().primary().autoincrement(false),
    /** The release that has offered it last. */
    release_id: p.integer(),
    offered_at: p.datetime().columnType('timestamptz(3)'),
    /** When the device has loaded the whole image, the last five times. */
    loads: p.array().columnType('timestamp with time zone[]').defaultRaw("'{}'::timestamp with time zone[]"),
    /** Whether a try has begun since the last final report, so that the same report again is another one. */
    is_under_way: p.boolean().defaultRaw('false'),
    failed_tries: p.integer().defaultRaw('0'),
    /** How many of the failed tries were of earlier releases: they are no reason to stop this one. */
    tries_before: p.integer().defaultRaw('0'),
    outcome: p.enum(['started', 'installed', 'failed', 'refused', 'rolled_back']).nullable(),
    /** A word of the device about its last report, as is detail. */
    stage: p.text().nullable(),
    detail: p.text().nullable(),
    reported_at: p.datetime().columnType('timestamptz(3)').nullable(),
    installed_at: p.datetime().columnType('timestamptz(3)').nullable(),
    /** Whether it had uploaded in the seven days before the installation. */
    was_active: p.boolean().defaultRaw('false'),
    /** The byte at which the response began that was counted last: one that does not begin before it belongs to the same load. Null once another load has begun. */
    loaded_from: p.integer().nullable(),
  },
})

/** A time in which a child wore a device with one firmware; the present one is open (`until` null). */
export const DeviceHistory = defineEntity({
  name: 'DeviceHistory',
  tableName: 'device_history',
  properties: {
    device_id: p.integer().primary().autoincrement(false),
    real_user_id: p.integer().primary().autoincrement(false),
    firmware_id: p.integer().primary().autoincrement(false),
    since: p.datetime().columnType('timestamptz').primary(),
    until: p.datetime().columnType('timestamptz').nullable(),
    last_upload_at: p.datetime().columnType('timestamptz').nullable(),
  },
})

/** Devices, locked in the shard of their records; empty on one machine. */
export const DeviceLock = defineEntity({
  name: 'DeviceLock',
  tableName: 'device_lock',
  properties: {
    id: p.integer().primary().autoincrement(false),
  },
})

/** One public deletion of a device's usage logs: when, from where, how many, and whether it was undone. */
export const DevlogDeletion = defineEntity({
  name: 'DevlogDeletion',
  tableName: 'devlog_deletion',
  properties: {
    id: p.integer().primary().autoincrement(),
    device_id: p.integer(),
    /** Erased in time. */
    address: p.text().nullable(),
    deleted_at: p.datetime().columnType('timestamptz'),
    deleted_count: p.integer().defaultRaw('0'),
    restored_at: p.datetime().columnType('timestamptz').nullable(),
    restored_count: p.integer().nullable(),
    /** The child whose records they were; null if nobody wore the device. */
    real_user_id: p.integer().nullable(),
  },
})

/** One correction of the dates of a device's usage logs, and whether it was undone. */
export const DevlogShift = defineEntity({
  name: 'DevlogShift',
  tableName: 'devlog_shift',
  properties: {
    id: p.integer().primary().autoincrement(),
    device_id: p.integer(),
    from_date: p.datetime().columnType('timestamp(6)'),
    to_date: p.datetime().columnType('timestamp(6)'),
    by_seconds: p.bigint(),
    shifted_at: p.datetime().columnType('timestamptz'),
    shifted_count: p.integer(),
    undone_at: p.datetime().columnType('timestamptz').nullable(),
  },
})

export const Distribution = defineEntity({
  name: 'Distribution',
  tableName: 'distribution',
  properties: {
    is_only: p.boolean().primary().defaultRaw('true'),
    /** Whether each record that is stored refers to its device's row in `device_lock`, and so locks it. */
    is_guarded: p.boolean().defaultRaw('false'),
  },
})

/** The open link of a mail that asks whether an address is the reader's, kept only as a hash: for the address of the account (current), or for one that is to replace it (change). What was answered stays until it is purged: a page is often sent twice. */
export const EmailConfirmation = defineEntity({
  name: 'EmailConfirmation',
  tableName: 'email_confirmation',
  properties: {
    root_user_id: p.integer().primary().autoincrement(false),
    purpose: p.enum(['current', 'change']).primary(),
    token_hash: p.blob(),
    email: p.text(),
    expires_at: p.datetime().columnType('timestamptz'),
    answered_at: p.datetime().columnType('timestamptz').nullable(),
    is_mine: p.boolean().nullable(),
  },
})

/** Its only row says whether personal columns are encrypted when they are written. */
export const Encryption = defineEntity({
  name: 'Encryption',
  tableName: 'encryption',
  properties: {
    is_only: p.boolean().primary().defaultRaw('true'),
    is_on: p.boolean(),
    /** A keyed hash of a constant, which tells whether the secret of the hashes is still the same. */
    index_proof: p.blob().nullable(),
    is_on_for_addresses: p.boolean().defaultRaw('false'),
  },
})

/** A parent's note about a child's day. The functions that change it keep the replaced version in `event_version`. */
export const Event = defineEntity({
  name: 'Event',
  tableName: 'event',
  properties: {
    id: p.integer().primary().autoincrement(),
    real_user_id: p.integer(),
    event_date: p.date(),
    memo: p.text(),
    /** A JSON string while it is encrypted. */
    event_data: p.json<JsonColumns['event.event_data']>(),
    /** Counts the changes, from 1. */
    version: p.integer().defaultRaw('1'),
    saved_at: p.datetime().columnType('timestamptz').defaultRaw('now()'),
    /** The account that wrote it; null if an operator did. */
    saved_by: p.integer().nullable(),
  },
})

/** An event as it was before a change, so that an overwritten note can be recovered. Erased with the event. */
export const EventVersion = defineEntity({
  name: 'EventVersion',
  tableName: 'event_version',
  properties: {
    event_id: p.integer().primary().autoincrement(false),
    version: p.integer().primary().autoincrement(false),
    event_date: p.date(),
    memo: p.text(),
    event_data: p.json<JsonColumns['event_version.event_data']>(),
    saved_at: p.datetime().columnType('timestamptz'),
    saved_by: p.integer().nullable(),
    child_id: p.integer(),
  },
})

/** Its only row says which changes have been announced to webhooks, and which are purged. */
export const Feed = defineEntity({
  name: 'Feed',
  tableName: 'feed',
  properties: {
    is_only: p.boolean().primary().defaultRaw('true'),
    notified_xact_id: p.string().columnType('xid8'),
    purged_xact_id: p.string().columnType('xid8'),
    purged_id: p.bigint(),
  },
})

/** What a service has asked for as a whole, and how far it is; see fhir_export_part. */
export const FhirExport = defineEntity({
  name: 'FhirExport',
  tableName: 'fhir_export',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    client_id: p.integer(),
    /** The URL that was asked for. */
    request: p.text(),
    /** The address of the FHIR API as the service knows it. */
    base: p.text(),
    types: p.array().columnType('text[]'),
    /** What the token could open, by our names. */
    scopes: p.array().columnType('text[]'),
    /** Only what has changed since then; null: all. */
    since: p.datetime().columnType('timestamptz(3)').nullable(),
    /** All that was changed before it is in the export. */
    taken_at: p.datetime().columnType('timestamptz(3)'),
    state: p.enum(['running', 'complete', 'cancelled']).defaultRaw("'running'::text"),
    /** What it reads, and goes on from the child and, among records, behind the place; see fhir/export-streams.ts. */
    stream: p.text(),
    child: p.integer().defaultRaw('0'),
    place: p.text().nullable(),
    /** The file of the stream's type that is being filled, counted from 1; it has lines_of_file lines. */
    file: p.integer().defaultRaw('1'),
    lines_of_file: p.integer().defaultRaw('0'),
    lines: p.integer().defaultRaw('0'),
    /** How many parts were made; the next gets the number after it. */
    parts: p.integer().defaultRaw('0'),
    /** How often a process has begun to go on here and has not come further. */
    attempts: p.integer().defaultRaw('0'),
    /** The process that goes on with it, until claimed_until. */
    claim: p.uuid().nullable(),
    claimed_until: p.datetime().columnType('timestamptz').defaultRaw("'-infinity'::timestamp with time zone"),
    expires_at: p.datetime().columnType('timestamptz(3)'),
  },
})

/** Lines of a file of an export that are about one child: they are given out while a grant for the child holds the scope. */
export const FhirExportPart = defineEntity({
  name: 'FhirExportPart',
  tableName: 'fhir_export_part',
  properties: {
    export_id: p.uuid().primary(),
    /** Of the resources; with file it names the file. */
    type: p.text().primary(),
    file: p.integer().primary().autoincrement(false),
    number: p.integer().primary().autoincrement(false),
    real_user_id: p.integer(),
    scope: p.text(),
    lines: p.integer(),
    /** The lines, packed by fhir/export-lines.ts, encrypted. */
    content: p.text(),
  },
})

/** An image for devices of one kind of hardware, and what its maker has signed about it. */
export const Firmware = defineEntity({
  name: 'Firmware',
  tableName: 'firmware',
  properties: {
    /** The number that devices report as theirs; chosen by the maker. */
    id: p.integer().primary().autoincrement(false),
    hardware: p.text(),
    version: p.text(),
    size: p.integer(),
    sha256: p.blob(),
    /** Rises with every firmware of the hardware, so that no older one can be installed again. */
    sequence: p.integer(),
    not_after: p.datetime().columnType('timestamptz(3)').nullable(),
    /** The lowest firmware that it may replace. */
    oldest: p.integer(),
    /** COSE_Sign1 (RFC 9052). */
    manifest: p.blob(),
    notes_en: p.text().nullable(),
    notes_ko: p.text().nullable(),
    added_at: p.datetime().columnType('timestamptz(3)'),
    withdrawn_at: p.datetime().columnType('timestamptz(3)').nullable(),
  },
})

/** The image of a firmware in pieces of 64 kB, counted from 0. */
export const FirmwarePiece = defineEntity({
  name: 'FirmwarePiece',
  tableName: 'firmware_piece',
  properties: {
    firmware_id: p.integer().primary().autoincrement(false),
    number: p.integer().primary().autoincrement(false),
    bytes: p.blob(),
  },
})

/** How a firmware is brought to the devices of its hardware, in steps. */
export const FirmwareRelease = defineEntity({
  name: 'FirmwareRelease',
  tableName: 'firmware_release',
  properties: {
    id: p.integer().primary().autoincrement(),
    firmware_id: p.integer(),
    hardware: p.text(),
    /** Percentages of the devices, rising. */
    steps: p.array().columnType('integer[]'),
    /** How long a step lasts before the next begins by itself. */
    wait_seconds: p.integer(),
    /** A share; above it the release stops. So is stop_silent. */
    stop_failed: p.double(),
    stop_silent: p.double(),
    /** A ratio of contact losses; above it the release stops. */
    stop_contact_loss: p.double(),
    /** The share by which nights may become shorter. */
    stop_shorter: p.double(),
    fewest: p.integer(),
    state: p.enum(['open', 'paused', 'stopped', 'cancelled']).defaultRaw("'open'::text"),
    /** Counted from 1. */
    step: p.integer().defaultRaw('1'),
    step_began_at: p.datetime().columnType('timestamptz(3)'),
    began_at: p.datetime().columnType('timestamptz(3)'),
    /** When a process last began to judge it: no two do so in the same minute. */
    judged_at: p.datetime().columnType('timestamptz(3)').nullable(),
    stop_reason: p.enum(['failed', 'silent', 'contact-loss', 'shorter']).nullable(),
    stop_detail: p.text().nullable(),
    ended_at: p.datetime().columnType('timestamptz(3)').nullable(),
  },
})

/** An open offer to become a member of a child; its token is kept only as a hash. */
export const Invitation = defineEntity({
  name: 'Invitation',
  tableName: 'invitation',
  properties: {
    id: p.integer().primary().autoincrement(),
    token_hash: p.blob(),
    real_user_id: p.integer(),
    role: p.enum(['guardian', 'viewer']),
    email: p.text(),
    until: p.date().nullable(),
    created_at: p.datetime().columnType('timestamptz(3)'),
    expires_at: p.datetime().columnType('timestamptz(3)'),
    /** Keyed hash of the address in lower case. Look-ups use it. */
    email_hash: p.blob().nullable(),
  },
})

/** What calls with an Idempotency-Key were answered, for a day, so that a repeat gets the same. */
export const KeptResponse = defineEntity({
  name: 'KeptResponse',
  tableName: 'kept_response',
  properties: {
    /** The account that called, or that has granted the call; 0 for a service with a token of its own. */
    root_user_id: p.integer().primary().autoincrement(false),
    /** The service that called; 0 for the account itself. */
    client_id: p.integer().primary().autoincrement(false),
    /** The hash of the operation and the Idempotency-Key. */
    key_hash: p.blob().primary(),
    /** Keyed hash of the input, in which the order of keys does not count. */
    input_hash: p.blob(),
    /** Status, headers and body as JSON, encrypted; null while something that the call needs goes on after its commit. */
    response: p.text().nullable(),
    /** The children that the call has reached and may still reach: who no longer may gets no repeat. */
    children: p.array().columnType('integer[]'),
    created_at: p.datetime().columnType('timestamptz(3)'),
  },
})

/** A network address, as a keyed hash, from which the account holder has signed in. */
export const KnownIpAddress = defineEntity({
  name: 'KnownIpAddress',
  tableName: 'known_ip_address',
  properties: {
    root_user_id: p.integer().primary().autoincrement(false),
    address_hash: p.blob().primary(),
    last_seen_at: p.datetime().columnType('timestamptz'),
  },
})

/** The right of an account to the child of another one, through the day `until` or until it is ended. */
export const Membership = defineEntity({
  name: 'Membership',
  tableName: 'membership',
  properties: {
    id: p.integer().primary().autoincrement(),
    real_user_id: p.integer(),
    root_user_id: p.integer(),
    role: p.enum(['guardian', 'viewer']),
    since: p.datetime().columnType('timestamptz(3)'),
    /** The last day, in the time zone of the service. */
    until: p.date().nullable(),
    ended_at: p.datetime().columnType('timestamptz(3)').nullable(),
  },
})

/** When to judge which evening of a child for which recipient next. */
export const NightWatch = defineEntity({
  name: 'NightWatch',
  tableName: 'night_watch',
  properties: {
    real_user_id: p.integer().primary().autoincrement(false),
    root_user_id: p.integer().primary().autoincrement(false),
    kind: p.enum(['bedtime', 'missing_night']).primary(),
    /** Null: the next one after due_at is still to be found. */
    evening: p.date().nullable(),
    due_at: p.datetime().columnType('timestamptz'),
  },
})

/** The state of the OAuth provider; see `oauth/oauth-adapter.ts`. */
export const OauthState = defineEntity({
  name: 'OauthState',
  tableName: 'oauth_state',
  properties: {
    kind: p.text().primary(),
    id_hash: p.blob().primary(),
    grant_id: p.integer().nullable(),
    uid_hash: p.blob().nullable(),
    payload: p.json<JsonColumns['oauth_state.payload']>(),
    consumed_at: p.datetime().columnType('timestamptz(3)').nullable(),
    expires_at: p.datetime().columnType('timestamptz(3)'),
    /** Where the browser of an answered step was sent, encrypted by the id of the step. */
    answer: p.text().nullable(),
  },
})

/** Unused since 0018: `clinic_connection.figures_day` says it. */
export const OutdatedFigures = defineEntity({
  name: 'OutdatedFigures',
  tableName: 'outdated_figures',
  properties: {
    id: p.bigint().primary().autoincrement(),
    clinic_id: p.integer(),
    connection_id: p.integer(),
  },
})

/** A public key by which a clinician signs in (WebAuthn). */
export const Passkey = defineEntity({
  name: 'Passkey',
  tableName: 'passkey',
  properties: {
    id: p.integer().primary().autoincrement(),
    root_user_id: p.integer(),
    credential_id: p.blob(),
    public_key: p.blob(),
    /** The highest that the authenticator has told; 0 from one that does not count. */
    sign_count: p.bigint(),
    transports: p.array().columnType('text[]'),
    name: p.text().nullable(),
    created_at: p.datetime().columnType('timestamptz(3)'),
    last_used_at: p.datetime().columnType('timestamptz(3)').nullable(),
  },
})

/** The sums of what a base station of a former owner had measured on one date when the child was handed over. */
export const PastReadingDay = defineEntity({
  name: 'PastReadingDay',
  tableName: 'past_reading_day',
  properties: {
    real_user_id: p.integer().primary().autoincrement(false),
    date: p.date().primary(),
    basestation_id: p.integer(),
    readings: p.integer(),
    temperature: p.string().columnType('numeric'),
    humidity: p.string().columnType('numeric'),
    brightness: p.bigint(),
    noise: p.bigint(),
  },
})

/** What is planned for a child from an evening on, until the next plan begins: a past evening keeps the plan of its time. */
export const Plan = defineEntity({
  name: 'Plan',
  tableName: 'plan',
  properties: {
    id: p.integer().primary().autoincrement(),
    real_user_id: p.integer(),
    from_date: p.date(),
    /** In a week from Sunday to Saturday; 0 is a pause. */
    nights_per_week: p.smallint(),
    /** The use in a night that reaches the goal. */
    minutes: p.smallint(),
    /** hh:mm on the clock of the family; one before noon is on the date after the evening. */
    bedtime: p.text().nullable(),
    set_by: p.enum(['parent', 'clinic']),
    set_at: p.datetime().columnType('timestamptz(3)'),
  },
})

/** The consents of an account: a view over the newest rows of `consent`. Dates are null before the first agreement. */
export const Policy = defineEntity({
  name: 'Policy',
  tableName: 'policy',
  properties: {
    root_user_id: p.integer().primary().autoincrement(false),
    is_push_agree: p.boolean().nullable(),
    push_agree_date: p.datetime().columnType('timestamptz').nullable(),
    is_marketing_agree: p.boolean().nullable(),
    marketing_agree_date: p.datetime().columnType('timestamptz').nullable(),
  },
})

/** Where an account's phone is reached. A token belongs to one account at a time. */
export const PushToken = defineEntity({
  name: 'PushToken',
  tableName: 'push_token',
  properties: {
    root_user_id: p.integer().primary().autoincrement(false),
    token: p.text(),
    token_hash: p.blob(),
  },
})

/** Counters of `limits/limits.ts`, in the columns that rate-limiter-flexible asks for. Keys hold no personal data. */
export const RateLimit = defineEntity({
  name: 'RateLimit',
  tableName: 'rate_limit',
  properties: {
    key: p.string().length(255).primary(),
    points: p.integer().defaultRaw('0'),
    expire: p.bigint().nullable(),
  },
})

/** The sums of a base station's measurements of one date, for the account that was connected when they arrived. */
export const ReadingDay = defineEntity({
  name: 'ReadingDay',
  tableName: 'reading_day',
  properties: {
    basestation_id: p.integer().primary().autoincrement(false),
    /** By the base station's wall clock. */
    date: p.date().primary(),
    root_user_id: p.integer().primary().autoincrement(false),
    readings: p.integer(),
    last_measured_at: p.datetime().columnType('timestamp(6)'),
    temperature: p.string().columnType('numeric'),
    humidity: p.string().columnType('numeric'),
    brightness: p.bigint(),
    noise: p.bigint(),
  },
})

/** Its only row says from which time of measurement on single readings are kept. */
export const ReadingHorizon = defineEntity({
  name: 'ReadingHorizon',
  tableName: 'reading_horizon',
  properties: {
    is_only: p.boolean().primary().defaultRaw('true'),
    raw_from: p.datetime().columnType('timestamp(6)'),
  },
})

/** A child account. */
export const RealUser = defineEntity({
  name: 'RealUser',
  tableName: 'real_user',
  properties: {
    id: p.integer().primary().autoincrement(),
    root_user_id: p.integer(),
    first_name: p.text(),
    last_name: p.text(),
    birthdate: p.text(),
    gender: p.text(),
    deleted_at: p.datetime().columnType('timestamptz').nullable(),
    created_at: p.datetime().columnType('timestamptz').defaultRaw('now()'),
    /** The date, of the service, on which another account handed the child over to this one; null: none has. The owner's base stations count from then on. */
    owner_since: p.date().nullable(),
    /** When the profile last changed; null if that was before this was kept. */
    updated_at: p.datetime().columnType('timestamptz(3)').nullable().defaultRaw('now()'),
  },
})

/** An item of a lenient upload that could not be stored, as JSON text, kept for the operator. */
export const RejectedDevlog = defineEntity({
  name: 'RejectedDevlog',
  tableName: 'rejected_devlog',
  properties: {
    id: p.bigint().primary().autoincrement(),
    content_hash: p.blob(),
    reason: p.text(),
    content: p.text(),
    /** Erased in time. */
    address: p.text().nullable(),
    received_at: p.datetime().columnType('timestamptz').defaultRaw('now()'),
    /** The child who wore the device when the item arrived; null if nobody did. */
    real_user_id: p.integer().nullable(),
  },
})

/** A link for setting a new password, kept only as a hash. A used one stays until it is purged, so that a second use can be told from an unknown link. */
export const ResetToken = defineEntity({
  name: 'ResetToken',
  tableName: 'reset_token',
  properties: {
    token_hash: p.blob().primary(),
    root_user_id: p.integer(),
    expires_at: p.datetime().columnType('timestamptz'),
    used_at: p.datetime().columnType('timestamptz').nullable(),
  },
})

/** An account holder. After deletion the row stays, emptied, until its tombstone ends. */
export const RootUser = defineEntity({
  name: 'RootUser',
  tableName: 'root_user',
  properties: {
    id: p.integer().primary().autoincrement(),
    uuid: p.uuid().defaultRaw('gen_random_uuid()'),
    email: p.text().nullable(),
    password_hash: p.text().nullable(),
    password_changed_at: p.datetime().columnType('timestamptz').nullable(),
    first_name: p.text(),
    last_name: p.text(),
    birthdate: p.text(),
    gender: p.text(),
    phone: p.text().nullable(),
    is_phone_number_checked: p.boolean(),
    is_signup_completed: p.boolean(),
    register_type: p.text(),
    national_code: p.text(),
    need_personal_info_update: p.boolean().defaultRaw('false'),
    is_device_muted: p.boolean().defaultRaw('false'),
    is_device_alim_talk_enabled: p.boolean().defaultRaw('false'),
    is_basestation_alert_enabled: p.boolean().defaultRaw('false'),
    /** Raised to revoke every access token issued before. */
    token_epoch: p.integer().defaultRaw('0'),
    blocked_at: p.datetime().columnType('timestamptz').nullable(),
    deleted_at: p.datetime().columnType('timestamptz').nullable(),
    /** Of a deleted account only keyed hashes of e-mail, phone and social identity are left. */
    deleted_email_hash: p.blob().nullable(),
    deleted_phone_hash: p.blob().nullable(),
    created_at: p.datetime().columnType('timestamptz').defaultRaw('now()'),
    deleted_identity_hash: p.blob().nullable(),
    /** The version of each text that is consented to now; the ledger is `consent`. */
    given_versions: p.json<JsonColumns['root_user.given_versions']>().defaultRaw("'{}'::jsonb"),
    /** Keyed hash of the address in lower case. Look-ups use it. */
    email_hash: p.blob().nullable(),
    /** Keyed hash. Look-ups use it. */
    phone_hash: p.blob().nullable(),
    is_child_named_in_alerts: p.boolean().defaultRaw('false'),
    /** Whether the phone number is in the form of E.164 by which numbers are looked up: false in rows of older versions until `companion migrate` or the start of the service has rewritten them. */
    is_phone_canonical: p.boolean().defaultRaw('true'),
    /** When the link of a mail, or a completed reset of the password, proved that the holder reads this mailbox. */
    email_confirmed_at: p.datetime().columnType('timestamptz').nullable(),
    /** When the first mail that asks for a confirmation was sent. */
    confirmation_mailed_at: p.datetime().columnType('timestamptz').nullable(),
    /** Whether the address came with a sign-in provider that has not verified it: it reserves nothing, and nobody is found by it. */
    is_contact_email: p.boolean().defaultRaw('false'),
    /** Where the account lives, an IANA name; null: in the time zone of the service. */
    time_zone: p.text().nullable(),
    is_bedtime_reminded: p.boolean().defaultRaw('false'),
    is_missing_night_told: p.boolean().defaultRaw('false'),
    /** hh:mm on the clock of the account: when it is told of a night that has not arrived. */
    missing_night_at: p.text().defaultRaw("'10:00'::text"),
    /** hh:mm on the clock of the account, as quiet_to; with one of them null, or both equal, no hours are quiet. */
    quiet_from: p.text().nullable(),
    quiet_to: p.text().nullable(),
    /** Of mails and alerts, as the holder has chosen it; null: that of the country. */
    language: p.enum(['KR', 'EN']).nullable(),
    /** Keyed hash of the address of a clinician (register_type P). Look-ups use it. */
    clinician_email_hash: p.blob().nullable(),
  },
})

/** One thing that happened to an account: who, what, when, from where. Append-only by triggers; see `auth/security-record.ts`. */
export const SecurityRecord = defineEntity({
  name: 'SecurityRecord',
  tableName: 'security_record',
  properties: {
    id: p.bigint().primary().autoincrement(),
    recorded_at: p.datetime().columnType('timestamptz(3)'),
    root_user_id: p.integer().nullable(),
    action: p.text(),
    /** Why it was refused, or what changed. Never a secret. */
    reason: p.text().nullable(),
    /** Erased with the account. */
    address: p.text().nullable(),
    request_id: p.text().nullable(),
    /** How often it happened within `minute`. Only rows that count have a minute. */
    times: p.integer().defaultRaw('1'),
    minute: p.datetime().columnType('timestamptz').nullable(),
    /** Keyed hash of the phone number that the row is about. Erased with the address. */
    phone_hash: p.blob().nullable(),
    /** The operator who did it. */
    operator: p.text().nullable(),
    /** The other operator who agreed. */
    approved_by: p.text().nullable(),
    /** From here on, the row's place in the chain; see `trail/chain.ts`. */
    block: p.bigint().nullable(),
    place: p.integer().nullable(),
    personal_salt: p.blob().nullable(),
    personal_hash: p.blob().nullable(),
    row_hash: p.blob().nullable(),
    /** Keyed hash of the address of the client whose errors the row counts, while it counts; null where the address is not encrypted. */
    address_hash: p.blob().nullable(),
  },
})

/** A code that was sent by SMS: to which country, and whether it was entered. The phone number is not kept. */
export const SentCode = defineEntity({
  name: 'SentCode',
  tableName: 'sent_code',
  properties: {
    id: p.bigint().primary().autoincrement(),
    country: p.text(),
    sent_at: p.datetime().columnType('timestamptz'),
    is_entered: p.boolean().defaultRaw('false'),
  },
})

/** The one session of an account. Tokens are kept only as hashes. */
export const Session = defineEntity({
  name: 'Session',
  tableName: 'session',
  properties: {
    root_user_id: p.integer().primary().autoincrement(false),
    refresh_hash: p.blob(),
    /** The token that the current one replaced. */
    previous_hash: p.blob().nullable(),
    /** The hash of the Idempotency-Key under which it was replaced. */
    idempotency_hash: p.blob().nullable(),
    /** When the current pair was issued; with it and the key the same pair can be made again. */
    issued_at: p.datetime().columnType('timestamptz'),
  },
})

/** One record that a shift has moved, until the shift is undone. */
export const ShiftedDevlog = defineEntity({
  name: 'ShiftedDevlog',
  tableName: 'shifted_devlog',
  properties: {
    device_id: p.integer().primary().autoincrement(false),
    /** The date that the device sent, even if other shifts have moved the record before. */
    sent_date: p.datetime().columnType('timestamp(6)').primary(),
    log_file_id: p.integer().primary().autoincrement(false),
    shift_id: p.integer().primary().autoincrement(false),
    is_temp: p.boolean(),
    /** The date that the record has now. */
    date: p.datetime().columnType('timestamp(6)'),
    real_user_id: p.integer(),
  },
})

/** A measurement of a base station. It belongs to the account that was connected when it arrived. */
export const SleepReading = defineEntity({
  name: 'SleepReading',
  tableName: 'sleep_reading',
  properties: {
    basestation_id: p.integer().primary().autoincrement(false),
    root_user_id: p.integer(),
    /** The base station's wall clock. */
    measured_at: p.datetime().columnType('timestamp(6)').primary(),
    /** °C. */
    temperature: p.double(),
    /** Per cent. */
    humidity: p.double(),
    brightness: p.integer(),
    noise: p.integer(),
  },
})

/** The newest verification code of a phone number; number and code are kept as keyed hashes. */
export const SmsCode = defineEntity({
  name: 'SmsCode',
  tableName: 'sms_code',
  properties: {
    phone_hash: p.blob().primary(),
    code_hash: p.blob(),
    attempts: p.smallint().defaultRaw('0'),
    expires_at: p.datetime().columnType('timestamptz'),
    /** The code in `sent_code`; null where codes are not counted. */
    sent_code_id: p.bigint().nullable(),
  },
})

/** A country to which codes are sent, or no codes for a while. */
export const SmsCountry = defineEntity({
  name: 'SmsCountry',
  tableName: 'sms_country',
  properties: {
    country: p.text().primary(),
    stopped_until: p.datetime().columnType('timestamptz').nullable(),
  },
})

/** The identity of an account at its sign-in provider: OpenID Connect promises that issuer and subject never change hands. */
export const SocialIdentity = defineEntity({
  name: 'SocialIdentity',
  tableName: 'social_identity',
  properties: {
    issuer: p.text().primary(),
    subject: p.text().primary(),
    root_user_id: p.integer(),
    /** The provider's name in the configuration, as find-account answers it. */
    provider: p.text(),
    created_at: p.datetime().columnType('timestamptz').defaultRaw('now()'),
  },
})

/** The scores of one survey about a child. Erased with the child. */
export const Survey = defineEntity({
  name: 'Survey',
  tableName: 'survey',
  properties: {
    id: p.integer().primary().autoincrement(),
    real_user_id: p.integer(),
    attention_score: p.integer(),
    impulsivity_score: p.integer(),
    disorder_score: p.integer(),
    created_at: p.datetime().columnType('timestamptz').defaultRaw('now()'),
  },
})

/** One action on a child's data; see `trail/trail.ts`. Append-only by triggers, and partitioned by month. */
export const Trail = defineEntity({
  name: 'Trail',
  tableName: 'trail',
  properties: {
    id: p.bigint().primary().autoincrement(),
    /** The beginning of the minute, if it is counted. */
    at: p.datetime().columnType('timestamptz(3)'),
    /** account (the child's, or a stranger's), member, client, device, operator; service reports rows that were lost. */
    actor_kind: p.text(),
    /** The id, or the name of an operator. */
    actor: p.text(),
    operation: p.text(),
    real_user_id: p.integer().nullable(),
    /** ok, or the error. */
    outcome: p.text(),
    times: p.integer().defaultRaw('1'),
    is_counted: p.boolean(),
    address_hash: p.blob().nullable(),
    request_id: p.text().nullable(),
    /** The value that a change has replaced. Erased with the child. */
    old_value: p.text().nullable(),
    /** From here on, the row's place in the chain; see `trail/chain.ts`. */
    block: p.bigint().nullable(),
    place: p.integer().nullable(),
    personal_salt: p.blob().nullable(),
    personal_hash: p.blob().nullable(),
    row_hash: p.blob().nullable(),
  },
})

/** Reads that came again within their minute, until the rows of the trail count them; see `trail/repeats.ts`. */
export const TrailRepeat = defineEntity({
  name: 'TrailRepeat',
  tableName: 'trail_repeat',
  properties: {
    id: p.bigint().primary().autoincrement(),
    /** Milliseconds since 1970, actor_kind, actor, operation, real_user_id and outcome, separated by U+001F. */
    reads: p.array().columnType('text[]'),
    times: p.array().columnType('integer[]'),
  },
})

/** Uploads of a day, until they are rows of the trail; see `trail/uploads.ts`. */
export const TrailUpload = defineEntity({
  name: 'TrailUpload',
  tableName: 'trail_upload',
  properties: {
    /** That of the row of the trail. */
    id: p.bigint().primary().autoincrement(false).defaultRaw("nextval('trail_id_seq'::regclass)"),
    /** The beginning of the day, in UTC. */
    at: p.datetime().columnType('timestamptz(3)').primary(),
    actor_kind: p.text().primary(),
    actor: p.text().primary(),
    operation: p.text().primary(),
    real_user_id: p.integer().nullable(),
    outcome: p.text().primary(),
    times: p.integer().primary().autoincrement(false),
    address_hash: p.blob().nullable(),
    request_id: p.text().nullable(),
  },
})

/** The owner of a child offers it to a guardian; it counts only while the membership does. */
export const TransferOffer = defineEntity({
  name: 'TransferOffer',
  tableName: 'transfer_offer',
  properties: {
    real_user_id: p.integer().primary().autoincrement(false),
    membership_id: p.integer(),
    offered_at: p.datetime().columnType('timestamptz').defaultRaw('now()'),
    expires_at: p.datetime().columnType('timestamptz'),
  },
})

/** One use of a device, as its log says. It belongs to the child who wore the device when the log arrived. */
export const Treatment = defineEntity({
  name: 'Treatment',
  tableName: 'treatment',
  properties: {
    id: p.bigint().primary().autoincrement(),
    device_id: p.integer(),
    real_user_id: p.integer(),
    /** The device's wall clock. */
    treatment_date: p.datetime().columnType('timestamp(6)'),
    treatment_time: p.integer(),
    movement: p.integer().defaultRaw('0'),
    log_file_id: p.integer(),
    last_intensity: p.smallint(),
    finish_flag: p.smallint(),
    is_temp: p.boolean().defaultRaw('false'),
    deleted_at: p.datetime().columnType('timestamptz').nullable(),
    intensity_record: p.array().columnType('smallint[]'),
    /** The last entry of `devlog_deletion` that took it. */
    deletion_id: p.integer().nullable(),
    /** When it arrived or last changed; null if that was before this was kept. */
    updated_at: p.datetime().columnType('timestamptz(3)').nullable().defaultRaw('now()'),
  },
})

/** Always empty; see the function `commit_in_two_phases`. */
export const TwoPhases = defineEntity({
  name: 'TwoPhases',
  tableName: 'two_phases',
  properties: {
    id: p.integer().primary().autoincrement(false),
  },
})

/** Tries to sign in that have failed in a row, from addresses that the account is not known by; see `limits/limits.ts`. */
export const UnknownIpFailures = defineEntity({
  name: 'UnknownIpFailures',
  tableName: 'unknown_ip_failures',
  properties: {
    root_user_id: p.integer().primary().autoincrement(false),
    failures: p.integer(),
  },
})

/** Single-use tokens that have been used, kept until they would have expired anyway. */
export const UsedToken = defineEntity({
  name: 'UsedToken',
  tableName: 'used_token',
  properties: {
    token_id: p.uuid().primary(),
    expires_at: p.datetime().columnType('timestamptz'),
  },
})

/** Where a client is told that there are changes, and the delivery that waits for it: one at most, however much happens. */
export const Webhook = defineEntity({
  name: 'Webhook',
  tableName: 'webhook',
  properties: {
    id: p.integer().primary().autoincrement(),
    client_id: p.integer(),
    url: p.text(),
    /** The secret is derived from it. */
    salt: p.blob(),
    /** The salt before the last rotation. */
    previous_salt: p.blob().nullable(),
    previous_until: p.datetime().columnType('timestamptz(3)').nullable(),
    disabled_at: p.datetime().columnType('timestamptz(3)').nullable(),
    created_at: p.datetime().columnType('timestamptz(3)').defaultRaw('now()'),
    /** When the delivery is tried next; null without one. */
    due_at: p.datetime().columnType('timestamptz(3)').nullable(),
    message_id: p.uuid().nullable(),
    /** The delivery announces changes of this transaction or later. */
    since_xact_id: p.string().columnType('xid8').nullable(),
    attempts: p.smallint().defaultRaw('0'),
    /** Changes that have come since the last try are of this transaction or later. */
    next_xact_id: p.string().columnType('xid8').nullable(),
    delivered_at: p.datetime().columnType('timestamptz(3)').nullable(),
    /** The first of the failures since the last success; null after a success. */
    failing_since: p.datetime().columnType('timestamptz(3)').nullable(),
    /** In a few words, why the last of them failed. */
    last_fault: p.text().nullable(),
  },
})

/** The children that have records of each device: the shards that hold records of a child. */
export const Worn = defineEntity({
  name: 'Worn',
  tableName: 'worn',
  properties: {
    wearer_id: p.integer().primary().autoincrement(false),
    device_id: p.integer().primary().autoincrement(false),
  },
})

export const entities = [
  AccessGrant,
  AccessGrantChild,
  AccountActivity,
  Alert,
  Basestation,
  BasestationConnection,
  BasestationLock,
  ChainBlock,
  ChainHead,
  Change,
  ChildLock,
  Client,
  Clinic,
  ClinicConnection,
  ClinicInvitation,
  ClinicMember,
  Consent,
  DataKey,
  Device,
  DeviceFirmware,
  DeviceHistory,
  DeviceLock,
  DevlogDeletion,
  DevlogShift,
  Distribution,
  EmailConfirmation,
  Encryption,
  Event,
  EventVersion,
  Feed,
  FhirExport,
  FhirExportPart,
  Firmware,
  FirmwarePiece,
  FirmwareRelease,
  Invitation,
  KeptResponse,
  KnownIpAddress,
  Membership,
  NightWatch,
  OauthState,
  OutdatedFigures,
  Passkey,
  PastReadingDay,
  Plan,
  Policy,
  PushToken,
  RateLimit,
  ReadingDay,
  ReadingHorizon,
  RealUser,
  RejectedDevlog,
  ResetToken,
  RootUser,
  SecurityRecord,
  SentCode,
  Session,
  ShiftedDevlog,
  SleepReading,
  SmsCode,
  SmsCountry,
  SocialIdentity,
  Survey,
  Trail,
  TrailRepeat,
  TrailUpload,
  TransferOffer,
  Treatment,
  TwoPhases,
  UnknownIpFailures,
  UsedToken,
  Webhook,
  Worn,
] as const
