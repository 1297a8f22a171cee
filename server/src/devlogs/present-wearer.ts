/**
 * Those of the records `t` of a `device d`, in SQL, that calls without a token may reach: of the child who wears the device
 * now. A former wearer's nights are neither shown to the next family nor deleted by it.
 */
export const OF_PRESENT_WEARER_SQL = `t.real_user_id = d.real_user_id`
