import { Migration } from '@mikro-orm/migrations'

/**
 * The quick way for what nearly every upload is: complete records, nothing temporary to replace. It takes the uploads
 * that wait together in one statement and keeps each of them all or nothing.
 */
export class StoreCompleteDevlogs extends Migration {
  override up(): void {
    // Room for the next version of a row beside it: `last_log_file_id` rises with nearly every upload.
    this.addSql(`ALTER TABLE device SET (fillfactor = 70)`)
    // Nobody looks a treatment up by its id: an index less that every upload writes, and the largest of all in time.
    this.addSql(`ALTER TABLE treatment DROP CONSTRAINT treatment_pkey`)
    this.addSql(storeCompleteDevlogs)
    this.addSql(alertContactFaults)
  }
}

const storeCompleteDevlogs = `
CREATE FUNCTION store_complete_devlogs(
  uploads int[], owners int[], unique_ids uuid[], treatment_dates timestamp[], treatment_times int[], movements int[],
  log_file_ids int[], last_intensities smallint[], finish_flags smallint[], intensity_records text[]
) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  refusals text[];
BEGIN
  -- In one order and as store_devlogs does.
  PERFORM FROM device WHERE unique_id = ANY (unique_ids) ORDER BY id FOR NO KEY UPDATE;

  IF EXISTS (
    SELECT FROM unnest(unique_ids, treatment_dates) AS i (unique_id, treatment_date)
    JOIN device d ON d.unique_id = i.unique_id
    JOIN treatment t ON t.device_id = d.id AND t.treatment_date = i.treatment_date AND t.is_temp AND t.deleted_at IS NULL
  ) THEN
    RETURN NULL;
  END IF;

  WITH item AS MATERIALIZED (
    SELECT i.*, d.id AS device_id, d.real_user_id,
      CASE
        WHEN d.id IS NULL THEN 'unknown'
        WHEN d.real_user_id IS NULL THEN 'unconnected'
        WHEN i.owner IS NOT NULL AND i.owner <> (SELECT root_user_id FROM real_user WHERE id = d.real_user_id) THEN 'foreign'
      END AS refusal
    FROM unnest(uploads, owners, unique_ids, treatment_dates, treatment_times, movements, log_file_ids,
        last_intensities, finish_flags, intensity_records)
      WITH ORDINALITY AS i (upload, owner, unique_id, treatment_date, treatment_time, movement, log_file_id,
        last_intensity, finish_flag, intensity_record, n)
    LEFT JOIN LATERAL (SELECT id, real_user_id FROM device WHERE device.unique_id = i.unique_id LIMIT 1) d ON true
  ), refused AS MATERIALIZED (
    SELECT upload FROM item WHERE refusal IS NOT NULL
  ), stored AS (
    INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, movement, log_file_id,
      last_intensity, finish_flag, intensity_record)
    SELECT device_id, real_user_id, treatment_date, treatment_time, movement, log_file_id, last_intensity, finish_flag,
      intensity_record::smallint[]
    FROM item WHERE upload NOT IN (SELECT upload FROM refused)
    ORDER BY n
    ON CONFLICT (device_id, treatment_date, log_file_id) WHERE deleted_at IS NULL DO NOTHING
  ), raised AS (
    UPDATE device d SET last_log_file_id = a.highest
    FROM (
      SELECT device_id, max(log_file_id) AS highest FROM item
      WHERE upload NOT IN (SELECT upload FROM refused) GROUP BY device_id
    ) a
    WHERE d.id = a.device_id AND d.last_log_file_id < a.highest
  )
  SELECT array_agg(refusal ORDER BY n) INTO refusals FROM item WHERE EXISTS (SELECT FROM refused);
  RETURN coalesce(refusals, '{}');
END $$`

// Once for all rows of an upload: for each row by itself it cost nine times the row. A completed temporary record is an
// update, which the trigger for each row still sees to. A push alert needs a token to go to.
const alertContactFaults = `
CREATE FUNCTION alert_contact_faults() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO alert (channel, kind, cause, root_user_id, real_user_id, device_id)
  SELECT f.channel, 'device_contact',
    md5('device ' || n.device_id || to_char(n.treatment_date, ' YYYYMMDDHH24MISSUS'))::uuid,
    f.root_user_id, n.real_user_id, n.device_id
  FROM arrived n
  CROSS JOIN LATERAL (
    SELECT u.id AS root_user_id, c.channel
    FROM (SELECT root_user_id FROM real_user WHERE id = n.real_user_id AND deleted_at IS NULL LIMIT 1) r
    CROSS JOIN LATERAL (
      SELECT * FROM root_user WHERE id = r.root_user_id AND NOT is_device_muted LIMIT 1
    ) u
    CROSS JOIN LATERAL (VALUES
      ('push', EXISTS (SELECT FROM push_token p WHERE p.root_user_id = u.id)),
      ('alim_talk', u.is_device_alim_talk_enabled)
    ) AS c (channel, is_on)
    WHERE c.is_on
  ) f
  WHERE n.finish_flag = 4 AND n.deleted_at IS NULL
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
DROP TRIGGER alert_contact_fault ON treatment;
CREATE TRIGGER alert_contact_fault AFTER UPDATE OF finish_flag ON treatment FOR EACH ROW
  WHEN (NEW.finish_flag = 4 AND NEW.deleted_at IS NULL)
  EXECUTE FUNCTION alert_contact_fault();
CREATE TRIGGER alert_contact_faults AFTER INSERT ON treatment REFERENCING NEW TABLE AS arrived FOR EACH STATEMENT
  EXECUTE FUNCTION alert_contact_faults()`
