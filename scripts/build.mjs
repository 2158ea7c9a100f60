#!/usr/bin/env node
/** `npm run build`: the production bundle, made anew whether or not its sources have changed. */
import { installPackages, requireNode } from './site/install.mjs'

requireNode()
installPackages()
const { buildSite } = await import('./site/build.mjs')
const { runUntilInterrupted } = await import('./site/interrupt.mjs')

await runUntilInterrupted(async (signal) => {
  await buildSite({ signal, always: true, log: console.log })
  console.log('Built: build/ (Remix), public/build/ (the browser’s part), dist/app.js (the Worker).')
})
