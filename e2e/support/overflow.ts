import { expect, type Page } from '@playwright/test'

/** Fails when the page can be scrolled sideways, and names the elements that stick out. */
export async function expectNoOverflow(page: Page): Promise<void> {
  const found = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    const sticking = [...document.body.querySelectorAll('*')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth + 0.5)
      .map((element) => element.outerHTML.slice(0, 120))
    return { scrollWidth, clientWidth, sticking: scrollWidth > clientWidth ? sticking.slice(0, 5) : [] }
  })
  expect(found.scrollWidth, `${page.url()} is too wide:\n${found.sticking.join('\n')}`).toBeLessThanOrEqual(
    found.clientWidth,
  )
}
