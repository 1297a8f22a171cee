import { PASSWORD, signUp } from './family.ts'
import type { Account } from './family.ts'
import type { TestServer } from './server.ts'

type Service = Pick<TestServer, 'get' | 'post' | 'delete' | 'outbox'>
type Caller = Pick<Account, 'token'>

const PATH = '/api/v1/beta/share'

/** The app's calls about shared children; each takes the account that makes it. */
export const shares = (server: Service) => ({
  invite: ({ token }: Caller, fields: object, headers: Record<string, string> = {}) =>
    server.post(`${PATH}/invitation`, { token, json: { role: 'viewer', ...fields }, headers }),
  accept: ({ token }: Caller, invitation: unknown) =>
    server.post(`${PATH}/accept`, { token, json: { token: invitation } }),
  list: ({ token }: Caller, real_user_id: number) => server.get(PATH, { token, query: { real_user_id } }),
  withdraw: ({ token }: Caller, invitation_id: number) =>
    server.delete(`${PATH}/invitation/${invitation_id}`, { token }),
  end: ({ token }: Caller, share_id: number) => server.delete(`${PATH}/${share_id}`, { token }),
  offerTransfer: (
    { token }: Caller,
    fields: { real_user_id: number; share_id: number },
    proof: object = { password: PASSWORD },
  ) => server.post(`${PATH}/transfer`, { token, json: { ...fields, ...proof } }),
  acceptTransfer: ({ token }: Caller, real_user_id: number) =>
    server.post(`${PATH}/transfer/accept`, { token, json: { real_user_id } }),
  withdrawTransfer: ({ token }: Caller, real_user_id: number) =>
    server.delete(`${PATH}/transfer`, { token, query: { real_user_id } }),
  access: ({ token }: Caller, real_user_id: number, page: Record<string, string | number> = {}) =>
    server.get(`${PATH}/access`, { token, query: { real_user_id, ...page } }),
})

/** The newest mail to `email`. */
export const mailTo = async (server: Pick<TestServer, 'outbox'>, email: string) =>
  (await server.outbox()).findLast(({ channel, to }) => channel === 'email' && to === email) ?? {}

/** The token in the link of the newest mail to `email`. */
export const invitationToken = async (server: Pick<TestServer, 'outbox'>, email: string): Promise<string> =>
  new URL((await mailTo(server, email))['link'] ?? '').searchParams.get('token') ?? ''

/** Makes `member` a member of the owner's child, as the two of them do. */
export async function share(
  server: Service,
  owner: Caller,
  member: Account,
  fields: { real_user_id: number; role: 'guardian' | 'viewer'; until?: string },
): Promise<{ share_id: number }> {
  const { invite, accept } = shares(server)
  const invited = await invite(owner, { ...fields, email: member.email })
  if (invited.status !== 200) throw new Error(`Not invited: ${JSON.stringify(invited.body)}`)
  const accepted = await accept(member, await invitationToken(server, member.email))
  if (accepted.status !== 200) throw new Error(`Not accepted: ${JSON.stringify(accepted.body)}`)
  return accepted.body
}

/** A new account that is a member of the owner's child. */
export async function addMember(
  server: Service,
  owner: Caller,
  fields: Parameters<typeof share>[3],
): Promise<Account & { share_id: number }> {
  const member = await signUp(server)
  return { ...member, ...(await share(server, owner, member, fields)) }
}
