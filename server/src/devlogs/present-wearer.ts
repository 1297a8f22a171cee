/**
 * The live records of `treatment t` that calls without a token may reach, in SQL beside `device d`: those of the child
 * who wears the device now. A former wearer's nights are neither shown to the next family nor deleted by it.
 */
export const OF_PRESENT_WEARER = `t.device_id = d.id AND t.real_user_id = d.real_user_id AND t.deleted_at IS NULL`
