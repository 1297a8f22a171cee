-- The live records of a device within [since, until), of whichever child.
CREATE OR REPLACE FUNCTION treatments_by(device int, since timestamp, until timestamp) RETURNS SETOF treatment
  LANGUAGE plpgsql STABLE ROWS 31 AS $$
BEGIN
  RETURN QUERY SELECT t.* FROM treatment t
    WHERE t.device_id = device AND t.deleted_at IS NULL AND t.treatment_date >= since AND t.treatment_date < until;
END $$;
