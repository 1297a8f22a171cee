import { Migration } from '@mikro-orm/migrations'

/**
 * The quickest way for what nearly all uploads together are: records nobody has sent before, of devices somebody
 * wears. `intensities` are those of all records, one after the other; `firsts` and `lasts` say where each has its own.
 * Looked through once, they are inserted without asking at every row whether it is there. Anything else, however
 * little of it, leaves all of them to `store_complete_devlogs`.
 */
export class StoreFreshDevlogs extends Migration {
  override up(): void {
    this.addSql(`
CREATE FUNCTION store_fresh_devlogs(
  uploads int[], owners int[], unique_ids uuid[], treatment_dates timestamp[], treatment_times int[], movements int[],
  log_file_ids int[], last_intensities smallint[], finish_flags smallint[], intensities smallint[], firsts int[],
  lasts int[]
) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  ids int[];
  held_unique_ids uuid[];
  children int[];
  highest_log_file_ids int[];
  stored int;
BEGIN
  -- Who holds a device is the only one to write its records, so that none comes between the look and the insert.
  SELECT array_agg(id), array_agg(unique_id), array_agg(real_user_id), array_agg(last_log_file_id)
  INTO ids, held_unique_ids, children, highest_log_file_ids
  FROM (
    SELECT id, unique_id, real_user_id, last_log_file_id FROM device
    WHERE unique_id = ANY (unique_ids) FOR NO KEY UPDATE SKIP LOCKED
  ) held;

  WITH item AS MATERIALIZED (
    SELECT d.id AS device_id, d.real_user_id, d.highest, i.*
    FROM unnest(owners, unique_ids, treatment_dates, treatment_times, movements, log_file_ids, last_intensities,
        finish_flags, firsts, lasts)
      AS i (owner, unique_id, treatment_date, treatment_time, movement, log_file_id, last_intensity, finish_flag,
        first, last)
    JOIN unnest(ids, held_unique_ids, children, highest_log_file_ids) AS d (id, unique_id, real_user_id, highest)
      USING (unique_id)
    WHERE d.real_user_id IS NOT NULL
      AND (i.owner IS NULL OR i.owner = (SELECT root_user_id FROM real_user WHERE id = d.real_user_id))
      AND NOT EXISTS (
        SELECT FROM treatment t
        WHERE t.device_id = d.id AND t.treatment_date = i.treatment_date AND t.deleted_at IS NULL
          AND (t.log_file_id = i.log_file_id OR t.is_temp)
        -- A look at the index for each, however the planner guesses the sizes.
        OFFSET 0
      )
  ), fresh AS MATERIALIZED (
    SELECT count(*) = cardinality(uploads) AS are_all
    FROM (SELECT FROM item GROUP BY device_id, treatment_date, log_file_id) record
  ), raised AS (
    UPDATE device d SET last_log_file_id = a.highest
    FROM (
      SELECT device_id, max(log_file_id) AS highest FROM item
      WHERE (SELECT are_all FROM fresh)
      GROUP BY device_id HAVING max(log_file_id) > max(highest)
    ) a
    WHERE d.id = a.device_id
  )
  INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, movement, log_file_id,
    last_intensity, finish_flag, intensity_record)
  SELECT device_id, real_user_id, treatment_date, treatment_time, movement, log_file_id, last_intensity, finish_flag,
    intensities[first:last]
  FROM item WHERE (SELECT are_all FROM fresh);
  GET DIAGNOSTICS stored = ROW_COUNT;
  IF stored = cardinality(uploads) THEN RETURN '{}'; END IF;

  RETURN store_complete_devlogs(uploads, owners, unique_ids, treatment_dates, treatment_times, movements,
    log_file_ids, last_intensities, finish_flags,
    ARRAY(SELECT intensities[first:last]::text FROM unnest(firsts, lasts) WITH ORDINALITY u (first, last, n) ORDER BY n));
END $$`)
  }
}
