/**
 * SQL for the role (`Role`) of `account` towards `real_user r` on the service's date `date`; null if it has none. It belongs
 * into the statement that reads the child's data, so that a right which has ended opens nothing. For the owner it costs
 * one comparison.
 */
export const childRole = (account: string, date: string) =>
  `CASE WHEN r.root_user_id = ${account} THEN 'owner' ELSE member_role(r.id, ${account}, ${date}) END`
