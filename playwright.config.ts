import { defineConfig } from '@playwright/test'
import { findBrowser } from './scripts/site/browser.mjs'

/** Debian's Chromium runs as root in a container only without its sandbox; the rest keeps it off the network. */
const BROWSER_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const WIDTHS = [320, 390, 1280]

/** What depends on the width of the screen; everything else is tried at one of them. */
const AT_EVERY_WIDTH = /\b(account|files|journey|layout|tasks|preview|upload)\.spec\.ts$/

/** What has another layout where there is room for it. */
const WHERE_THERE_IS_ROOM = /\b(journey|layout|tasks)\.spec\.ts$/

/** What is about the script alone. */
const WITH_SCRIPT_ONLY = /\b(live|preview|upload)\.spec\.ts$/

export default defineConfig({
  testDir: './e2e',
  outputDir: './test-results',
  globalSetup: './e2e/support/global-setup.ts',
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  workers: 2,
  // A test that passes at the second try is a bug that nobody looks at.
  retries: 0,
  timeout: 30_000,
  expect: { timeout: 10_000 },
  reporter: [['list']],
  use: {
    baseURL: process.env.E2E_ORIGIN,
    trace: 'retain-on-failure',
    launchOptions: { executablePath: findBrowser() ?? undefined, args: BROWSER_FLAGS },
  },
  projects: WIDTHS.flatMap((width) =>
    [true, false].map((javaScriptEnabled) => ({
      name: `${javaScriptEnabled ? 'js' : 'nojs'}-${width}`,
      ...(width === WIDTHS[0] ? {} : { testMatch: width < 1024 ? AT_EVERY_WIDTH : WHERE_THERE_IS_ROOM }),
      ...(javaScriptEnabled ? {} : { testIgnore: WITH_SCRIPT_ONLY }),
      // Not `isMobile`: a phone's layout viewport grows with its content, and hides the overflow that tests look for.
      use: { viewport: { width, height: 800 }, hasTouch: true, javaScriptEnabled },
    })),
  ),
})
