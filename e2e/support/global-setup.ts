import { startTemporarySite } from '../../scripts/site/temporary.mjs'

/** One site for the whole run. Its tests share nothing but the address: each has an account of its own. */
export default async function setup(): Promise<() => Promise<void>> {
  const site = await startTemporarySite({ log: console.log })
  process.env.E2E_ORIGIN = site.origin
  process.env.E2E_DATABASE_URL = site.databaseUrl
  return site.stop
}
