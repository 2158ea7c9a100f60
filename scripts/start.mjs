#!/usr/bin/env node
/**
 * `npm start`: installs what is missing, then serves the site on this machine. See README.md for the settings.
 * Imports nothing from a package, because there may be none yet.
 */
import { installPackages, requireNode } from './site/install.mjs'

requireNode()
installPackages()
await import('./site/serve.mjs')
