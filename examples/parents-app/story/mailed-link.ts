import type { Phone } from './phone.ts'
import type { Service } from './service.ts'

/** Opens the link of the newest mail to an address in a browser, and presses a button of its page. */
export async function answerMail(
  { page }: Phone,
  service: Service,
  address: string,
  button: string,
): Promise<void> {
  const { pathname, search } = new URL(await service.mailedLink(address))
  const opened = await page.context().newPage()
  await opened.goto(`${service.url}${pathname}${search}`)
  await opened.getByRole('button', { name: button, exact: true }).click()
  await opened.getByRole('button').first().waitFor({ state: 'hidden' })
  await opened.close()
}
