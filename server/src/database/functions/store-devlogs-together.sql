-- As `store_uploads_together`, for processes of the version before, which are told the verdicts alone.
CREATE OR REPLACE FUNCTION store_devlogs_together(
  uploads int[], owners int[], unique_ids uuid[], treatment_dates timestamp[], treatment_times int[], movements int[],
  log_file_ids int[], last_intensities smallint[], finish_flags smallint[], intensities smallint[], firsts int[],
  lasts int[]
) RETURNS text[] LANGUAGE sql AS $$
  SELECT verdicts FROM store_uploads_together(uploads, owners, unique_ids, treatment_dates, treatment_times, movements,
    log_file_ids, last_intensities, finish_flags, intensities, firsts, lasts)
$$;
