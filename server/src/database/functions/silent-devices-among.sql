-- Those of some devices that have no live record later than `since`.
CREATE OR REPLACE FUNCTION silent_devices_among(devices int[], since timestamp) RETURNS SETOF int LANGUAGE sql STABLE ROWS 1000 AS $$
  SELECT d FROM unnest(devices) d
  -- A look at the index for each, however the planner guesses their number.
  WHERE NOT EXISTS (
    SELECT 1 FROM treatment t WHERE t.device_id = d AND t.deleted_at IS NULL AND t.treatment_date > since
      AND may_be_dated_between(t.treatment_date, since, 'infinity') OFFSET 0)
$$;
