#!/usr/bin/env node
/**
 * `npm run demo`: starts a site of its own, on free ports and with throw-away data, and does the main job as a person
 * without JavaScript would. Ends with 0 when the downloaded bytes are the expected ones, else says which step failed.
 */
import { installPackages, requireNode } from './site/install.mjs'

requireNode()
installPackages()
const { runUntilInterrupted } = await import('./site/interrupt.mjs')
const { withTemporarySite } = await import('./site/temporary.mjs')
const { walkThrough } = await import('./site/walk-through.mjs')

await runUntilInterrupted((signal) =>
  withTemporarySite({ signal, log: console.log }, (site) =>
    walkThrough(site.origin, { signal, log: console.log }),
  ),
)
