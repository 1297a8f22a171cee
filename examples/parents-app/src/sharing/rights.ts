import type { ListedChild } from '@companion/sdk'

export type MemberRole = Exclude<ListedChild['role'], 'owner'>

/** Whether the account may write notes and enter surveys. */
export const mayWrite = ({ role }: Pick<ListedChild, 'role'>): boolean => role !== 'viewer'

/** The role of an account with which the child is shared; undefined for the owner, who may do everything. */
export const memberRole = ({ role }: Pick<ListedChild, 'role'>): MemberRole | undefined =>
  role === 'guardian' || role === 'viewer' ? role : undefined

/** The service tells the id of a base station to its owner only. */
export const isOwnBasestation = ({ unique_id }: { unique_id?: string | undefined }): boolean =>
  unique_id !== undefined
