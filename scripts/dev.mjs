#!/usr/bin/env node
/** `npm run dev`: the site on this machine with hot reload. Same settings, database and folders as `npm start`. */
import { installPackages, requireNode } from './site/install.mjs'

requireNode()
installPackages()
await import('./site/develop.mjs')
