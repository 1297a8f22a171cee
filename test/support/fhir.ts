import type { TestServer } from './server.ts'

/** Calls the FHIR API of a server, as a client that knows no more than its address and a token. */
export async function askFhir(
  server: Pick<TestServer, 'url'>,
  path: string,
  token?: string,
  { headers = {}, ...init }: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
) {
  const response = await fetch(path.startsWith('http') ? path : `${server.url}/fhir/${path}`, {
    ...init,
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
  })
  const text = await response.text()
  const isJson = /\b(?:fhir\+)?json\b/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  }
}

/** The address of the next page of a Bundle. */
export const nextPage = ({ link }: { link?: { relation: string; url: string }[] }): string | undefined =>
  link?.find(({ relation }) => relation === 'next')?.url

/** All resources of a search, page by page. */
export async function allPages(server: Pick<TestServer, 'url'>, path: string, token: string): Promise<any[]> {
  const found: any[] = []
  for (let at: string | undefined = path; at !== undefined;) {
    const { status, body } = await askFhir(server, at, token)
    if (status !== 200) throw new Error(`${at} answers ${status}: ${JSON.stringify(body)}`)
    found.push(...(body.entry ?? []).map(({ resource }: { resource: unknown }) => resource))
    at = nextPage(body)
  }
  return found
}
