import type { Account } from './family.ts'
import type { TestServer } from './server.ts'

type Parent = Pick<Account, 'token'>

/** The app's calls about surveys; each takes the parent who makes it. */
export const surveys = (server: TestServer) => ({
  submit: ({ token }: Parent, json: object) => server.post('/api/v1/beta/survey', { token, json }),
  latest: ({ token }: Parent, query: Record<string, string | number> = {}) =>
    server.get('/api/v1/beta/chart/survey/analysis', { token, query }),
})

export const scores = (attention_score: number) => ({
  attention_score,
  impulsivity_score: 7,
  disorder_score: 0,
})
