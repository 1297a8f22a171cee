import { expectData } from './requests.ts'
import type { Service } from './requests.ts'

const readPage = (service: Service, query: { after?: string }) =>
  service.GET('/api/v1/beta/changes', { params: { query } })

type Page = NonNullable<Awaited<ReturnType<typeof readPage>>['data']>

/**
 * Goes through the changes behind `cursor`, or through all that are kept (90 days). Save `next` of a page once you have
 * done your work with its items, and go on from there: the same cursor gives the same changes again. Ends with undefined
 * if the cursor is older than what is kept.
 */
export async function* changesSince(service: Service, cursor?: string): AsyncGenerator<Page | undefined> {
  for (let after = cursor; ;) {
    const call = readPage(service, after === undefined ? {} : { after })
    if ((await call).response.status === 410) {
      yield undefined
      return
    }
    const page = await expectData(call)
    yield page
    // There may be more even if this page holds no items.
    if (!page.has_more) return
    after = page.next
  }
}

/** The cursor of now. Ask for it before you read everything: what changes while you read comes behind it. */
export async function cursorOfNow(service: Service): Promise<string> {
  return (await expectData(readPage(service, { after: 'latest' }))).next
}
