import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'
import { expectNoOverflow } from './overflow'

/** What holds for every page: it fits, and with JavaScript (which axe needs) it has no known barrier. */
export async function checkPage(page: Page, { axe }: { axe: boolean }): Promise<void> {
  await expectNoOverflow(page)
  if (!axe) return
  const { violations } = await new AxeBuilder({ page }).analyze()
  const found = violations.map(({ id, help, nodes }) => ({
    id,
    help,
    where: nodes.map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary}`),
  }))
  expect(found, page.url()).toEqual([])
}
