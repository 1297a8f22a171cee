-- Answers the date of a record that a device sends as of `sent`: another one, if an operator has shifted the record, or a
-- temporary or complete one of the same use.
CREATE OR REPLACE FUNCTION corrected_date(device int, sent timestamp, log_file int, temporary boolean)
  RETURNS timestamp LANGUAGE sql STABLE AS $$
  SELECT coalesce((
    SELECT s.date FROM shifted_devlog s
    WHERE s.device_id = device AND s.sent_date = sent AND (s.log_file_id = log_file OR s.is_temp OR temporary)
    ORDER BY s.shift_id DESC, s.log_file_id <> log_file LIMIT 1
  ), sent)
$$;
