import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds to criticise on a page, as `rule: element`; elements inside `except` are left out. */
export async function accessibilityIssues(page: Page, except: string[] = []): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate<string[]>(`axe.run({ exclude: ${JSON.stringify(except)} }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))))`)
}
