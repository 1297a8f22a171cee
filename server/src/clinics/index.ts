import { router } from '../http/endpoint.ts'
import { connect } from './connect.ts'
import { disconnect } from './disconnect.ts'
import { find } from './find.ts'
import { inviteMember } from './invite-member.ts'
import { listChildren } from './list-children.ts'
import { listConnections } from './list-connections.ts'
import { listMembers } from './list-members.ts'
import { listMemberships } from './list-memberships.ts'
import { removeMember } from './remove-member.ts'
import { planNights } from './plan-nights.ts'
import { updatePlace } from './update-place.ts'
import { withdrawInvitation } from './withdraw-invitation.ts'

/** The operations on clinics: who has let which one in, who works there, and the children whom it looks after. */
export const clinics = router({
  find,
  connect,
  listConnections,
  disconnect,
  listMemberships,
  listMembers,
  inviteMember,
  withdrawInvitation,
  removeMember,
  listChildren,
  updatePlace,
  planNights,
})
