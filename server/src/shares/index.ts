import { router } from '../http/endpoint.ts'
import { accept } from './accept.ts'
import { acceptTransfer } from './accept-transfer.ts'
import { access } from './access.ts'
import { end } from './end.ts'
import { invite } from './invite.ts'
import { list } from './list.ts'
import { offerTransfer } from './offer-transfer.ts'
import { withdrawTransfer } from './withdraw-transfer.ts'
import { withdraw } from './withdraw.ts'

/** The operations on who may see a child besides its owner, and who has. */
export const shares = router({
  invite,
  accept,
  list,
  withdraw,
  end,
  access,
  offerTransfer,
  acceptTransfer,
  withdrawTransfer,
})
