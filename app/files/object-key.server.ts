import type { AppContext } from '../context.server'
import { hex } from './digest.server'

/**
 * A new object's key: random, under the site's prefix, and never a name. It tells nothing, can't be guessed and never comes
 * again, so that a late write can overwrite nothing that another one has written.
 */
export function newObjectKey({ site }: Pick<AppContext, 'site'>): string {
  return `${site.storagePrefix}${hex(crypto.getRandomValues(new Uint8Array(16)))}`
}
