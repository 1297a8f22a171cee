import assert from 'node:assert/strict'

/** The demo family's other parent, on a phone of their own. */
export interface OtherPhone {
  /** Writes the first child's note of a date. */
  write: (date: string, memo: string) => Promise<void>
  memo: (date: string) => Promise<string>
  deleteChild: (name: string) => Promise<void>
  /** Invites somebody to look at the first child, or to be a guardian of it. */
  invite: (email: string, role?: 'viewer' | 'guardian') => Promise<void>
  /** Ends all shares of the first child. */
  endShares: () => Promise<void>
  /** Offers the first child to its guardian. */
  offer: () => Promise<void>
}

export async function openOtherPhone(url: string): Promise<OtherPhone> {
  let headers = {}
  const call = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${url}/api/v1/${path}`, { headers, ...init })
    assert.equal(response.status, 200, path)
    return response.json()
  }
  const { access_token } = await call('alpha/auth/email/signin', {
    method: 'POST',
    body: new URLSearchParams({ username: 'demo@example.com', password: 'demo-family-2026' }),
  })
  headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
  const family: { id: number; first_name: string }[] = await call('beta/user/real-user')
  const devices: { real_user_id: number; unique_id: string }[] = await call('beta/device')
  const real_user_id = family[0]?.id
  const shares = async (): Promise<{ share_id: number; role: string }[]> =>
    (await call(`beta/share?${new URLSearchParams({ real_user_id: String(real_user_id) })}`)).members
  return {
    endShares: async () => {
      for (const { share_id } of await shares()) await call(`beta/share/${share_id}`, { method: 'DELETE' })
    },
    offer: async () => {
      const share_id = (await shares()).find(({ role }) => role === 'guardian')?.share_id
      const body = JSON.stringify({ real_user_id, share_id, password: 'demo-family-2026' })
      await call('beta/share/transfer', { method: 'POST', body })
    },
    write: async (created_at, memo) => {
      await call('beta/event', { method: 'POST', body: JSON.stringify({ real_user_id, created_at, memo }) })
    },
    memo: async (event_date) => {
      const day = await call(
        `beta/event?${new URLSearchParams({ real_user_id: String(real_user_id), event_date })}`,
      )
      return String(day.memo)
    },
    deleteChild: async (name) => {
      const id = family.find(({ first_name }) => first_name === name)?.id
      const worn = devices.find((device) => device.real_user_id === id)
      const body = JSON.stringify({ real_user_id: id, unique_id: worn?.unique_id })
      await call('beta/user/delete-real-user', { method: 'DELETE', body })
    },
    invite: async (email, role = 'viewer') => {
      const body = JSON.stringify({ real_user_id, email, role })
      await call('beta/share/invitation', { method: 'POST', body })
    },
  }
}
