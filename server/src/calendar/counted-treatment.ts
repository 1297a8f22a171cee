/** SQL condition for the live treatments that the calendar counts. Contract, "GET event/history". */
export const COUNTED_TREATMENT_SQL = `(is_temp OR treatment_time >= 120)`
