import type { Companion } from '@companion/sdk'

/** A child of the account, or one that another account shares with it. */
export type FamilyChild = Awaited<ReturnType<Companion['children']['list']>>[number]

export type Role = FamilyChild['role']
export type MemberRole = Exclude<Role, 'owner'>

/** Whether the account may write notes and enter surveys. */
export const mayWrite = ({ role }: Pick<FamilyChild, 'role'>): boolean => role !== 'viewer'

/** The role of an account with which the child is shared; undefined for the owner, who may do everything. */
export const memberRole = ({ role }: Pick<FamilyChild, 'role'>): MemberRole | undefined =>
  role === 'guardian' || role === 'viewer' ? role : undefined

/** The service tells the id of a base station to its owner only. */
export const isOwnBasestation = ({ unique_id }: { unique_id?: string | undefined }): boolean =>
  unique_id !== undefined
