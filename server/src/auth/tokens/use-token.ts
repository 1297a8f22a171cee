import type { Sql } from '../../database/database.ts'

/**
 * Uses up a token that is good for one thing, in the transaction of that thing. Resolves to whether it was good still: of several calls
 * at once one finds it so.
 */
export async function useToken(
  tx: Sql,
  { tokenId, expiresAt }: { tokenId: string; expiresAt: Date },
): Promise<boolean> {
  const used = await tx
    .insertInto('used_token')
    .values({ token_id: tokenId, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return used.numInsertedOrUpdatedRows !== 0n
}
