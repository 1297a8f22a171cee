/** SQL condition for the treatments that the calendar counts. Contract, "GET event/history". */
export const COUNTED_TREATMENT = `deleted_at IS NULL AND (is_temp OR treatment_time >= 120)`
