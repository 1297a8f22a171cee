-- The date of the last live temporary record of a device, which the caller holds.
CREATE OR REPLACE FUNCTION last_temporary_date_of(device int) RETURNS timestamp LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT coalesce(max(t.treatment_date), '-infinity') FROM treatment t
    WHERE t.device_id = device AND t.is_temp AND t.deleted_at IS NULL
      AND may_be_dated_between(t.treatment_date, '-infinity', 'infinity'));
END $$;
