import type { Client } from './client.ts'

interface Who {
  token: string
}

/** The calls about what is planned for a child, and how its nights go. */
export const plans = (client: Client) => ({
  list: ({ token }: Who, query: Record<string, string | number>) =>
    client.get('/api/v1/beta/plan', { token, query }),
  set: ({ token }: Who, json: object) => client.put('/api/v1/beta/plan', { token, json }),
  remove: ({ token }: Who, id: number) => client.delete(`/api/v1/beta/plan/${id}`, { token }),
  insight: ({ token }: Who, query: Record<string, string | number>) =>
    client.get('/api/v1/beta/insight', { token, query }),
})
