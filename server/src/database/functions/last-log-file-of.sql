-- The highest number of the live records that a child has made with a device; 0 without any. The caller changes the device, so
-- it holds the records too.
CREATE OR REPLACE FUNCTION last_log_file_of(device int, wearer int) RETURNS int LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  PERFORM lock_device_records(device);
  RETURN (SELECT coalesce(max(t.log_file_id), 0) FROM treatment t
    WHERE t.device_id = device AND t.real_user_id = wearer AND t.deleted_at IS NULL
      AND may_be_dated_between(t.treatment_date, '-infinity', 'infinity'));
END $$;
