#!/usr/bin/env node
/**
 * `npm test`: installs what is missing, then runs every check and test there is. Later stages run although an earlier one
 * failed; the last line counts, and the exit code is 0 only when nothing failed.
 */
import { installPackages, requireNode } from './site/install.mjs'

requireNode()
installPackages()
await import('./site/test-stages.mjs')
