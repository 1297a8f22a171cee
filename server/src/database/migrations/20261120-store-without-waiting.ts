import { Migration } from '@mikro-orm/migrations'

/**
 * Complete records are stored together without waiting for anybody: an upload whose device is held elsewhere, or has a
 * temporary record to be replaced, is left out and told `apart`, for `store_devlogs` to see to. Otherwise one such
 * upload would hold up all that go with it.
 */
export class StoreWithoutWaiting extends Migration {
  override up(): void {
    this.addSql(`
CREATE OR REPLACE FUNCTION store_complete_devlogs(
  uploads int[], owners int[], unique_ids uuid[], treatment_dates timestamp[], treatment_times int[], movements int[],
  log_file_ids int[], last_intensities smallint[], finish_flags smallint[], intensity_records text[]
) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  ids int[];
  held_unique_ids uuid[];
  children int[];
  highest_log_file_ids int[];
  told text[];
BEGIN
  -- A statement of its own, so that the next one sees what was committed before the locks were won.
  SELECT array_agg(id), array_agg(unique_id), array_agg(real_user_id), array_agg(last_log_file_id)
  INTO ids, held_unique_ids, children, highest_log_file_ids
  FROM (
    SELECT id, unique_id, real_user_id, last_log_file_id FROM device
    WHERE unique_id = ANY (unique_ids) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
  ) held;

  WITH item AS MATERIALIZED (
    SELECT i.*, d.id AS device_id, d.real_user_id, d.highest,
      CASE
        WHEN d.id IS NULL THEN CASE
          WHEN EXISTS (SELECT FROM device WHERE device.unique_id = i.unique_id) THEN 'apart'
          ELSE 'unknown'
        END
        WHEN d.real_user_id IS NULL THEN 'unconnected'
        WHEN i.owner IS NOT NULL AND i.owner <> (SELECT root_user_id FROM real_user WHERE id = d.real_user_id) THEN 'foreign'
        WHEN EXISTS (
          SELECT FROM treatment t
          WHERE t.device_id = d.id AND t.treatment_date = i.treatment_date AND t.is_temp AND t.deleted_at IS NULL
        ) THEN 'apart'
      END AS refusal
    FROM unnest(uploads, owners, unique_ids, treatment_dates, treatment_times, movements, log_file_ids,
        last_intensities, finish_flags, intensity_records)
      WITH ORDINALITY AS i (upload, owner, unique_id, treatment_date, treatment_time, movement, log_file_id,
        last_intensity, finish_flag, intensity_record, n)
    LEFT JOIN unnest(ids, held_unique_ids, children, highest_log_file_ids) AS d (id, unique_id, real_user_id, highest)
      USING (unique_id)
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
    RETURNING device_id, treatment_date, log_file_id
  ), raised AS (
    UPDATE device d SET last_log_file_id = a.highest
    FROM (
      SELECT device_id, max(log_file_id) AS highest FROM item
      WHERE upload NOT IN (SELECT upload FROM refused)
      GROUP BY device_id HAVING max(log_file_id) > max(highest)
    ) a
    WHERE d.id = a.device_id
  )
  SELECT array_agg(
    CASE
      WHEN upload IN (SELECT upload FROM refused) THEN refusal
      WHEN s.device_id IS NULL OR earlier > 0 THEN 'duplicate'
    END ORDER BY n)
  INTO told
  FROM (
    SELECT *, count(*) OVER (
      PARTITION BY upload IN (SELECT upload FROM refused), device_id, treatment_date, log_file_id
      ORDER BY n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS earlier
    FROM item
  ) i
  LEFT JOIN stored s USING (device_id, treatment_date, log_file_id)
  WHERE (SELECT count(*) FROM stored) < (SELECT count(*) FROM item);
  -- When all is stored, which is nearly always, there is nothing to tell.
  RETURN coalesce(told, '{}');
END $$`)
  }
}
