-- Stores live records of months that have ended four weeks ago again, those of a device together. Answers how many it has looked at:
-- `most`, unless all are done. It goes on behind the device of a month where the last call has ended. Each record goes and
-- comes in one statement under the lock of its device, without which nobody writes records. A device that somebody else holds is
-- left out, as are temporary records: how records lie changes no response.
CREATE OR REPLACE FUNCTION recluster_treatments(most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  place settled;
  present int := calendar_month(now()::timestamp - interval '28 days');
  devices int[];
  up_to int;
  held int[];
  looked int := 0;
BEGIN
  SELECT * INTO STRICT place FROM settled FOR UPDATE;
  WHILE looked < most LOOP
    devices := ARRAY(
      SELECT t.device_id FROM treatment t
      WHERE t.deleted_at IS NULL AND calendar_month(t.treatment_date) = place.month AND t.device_id > place.device_id
      ORDER BY t.device_id, t.treatment_date, t.log_file_id LIMIT most - looked);
    IF devices = '{}' THEN
      SELECT calendar_month(t.treatment_date) INTO place.month FROM treatment t
      WHERE t.deleted_at IS NULL AND calendar_month(t.treatment_date) > place.month AND calendar_month(t.treatment_date) < present
      ORDER BY calendar_month(t.treatment_date) LIMIT 1;
      EXIT WHEN place.month IS NULL;
      place.device_id := 0;
    ELSE
      looked := looked + cardinality(devices);
      up_to := devices[cardinality(devices)];
      held := ARRAY(SELECT id FROM device WHERE id = ANY (devices) FOR NO KEY UPDATE SKIP LOCKED);
      WITH gone AS (
        DELETE FROM treatment t
        WHERE t.deleted_at IS NULL AND calendar_month(t.treatment_date) = place.month
          AND t.device_id > place.device_id AND t.device_id <= up_to AND t.device_id = ANY (held) AND NOT t.is_temp
        RETURNING t.*
      )
      INSERT INTO treatment SELECT * FROM gone ORDER BY device_id, treatment_date, log_file_id;
      place.device_id := up_to;
    END IF;
    UPDATE settled SET month = place.month, device_id = place.device_id;
  END LOOP;
  RETURN looked;
END $$;
