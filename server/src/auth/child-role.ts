/**
 * SQL for the role (`Role`) of `account` towards `real_user r` on the service's date `date`; null if it has none. It belongs
 * in the statement that reads the child's data, so that a right which has ended opens nothing. For the owner it costs one
 * comparison.
 */
export const childRoleSql = (account: string, date: string) => `child_role(r, ${account}, ${date})`

/**
 * SQL for a child that is not deleted, by its id: `id`, `root_user_id`, `owner_since`, and the role as above. For statements that answer
 * many rows: OFFSET 0 keeps the planner from asking for the role again for each of them.
 */
export const childWithRoleSql = (child: string, account: string, date: string) =>
  `SELECT r.id, r.root_user_id, r.owner_since, ${childRoleSql(account, date)} AS role
   FROM real_user r WHERE r.id = ${child} AND r.deleted_at IS NULL OFFSET 0`
