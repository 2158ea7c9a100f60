import { connect } from '../db/client.server'

export interface Outage {
  /** Ends every connection to the database that is still open. */
  endConnections: () => Promise<void>
  /** The database takes connections again. A repeat does nothing. */
  end: () => Promise<void>
}

/** From now on the database refuses new connections; those that are open go on until they are ended. */
export async function refuseConnections(databaseUrl: string): Promise<Outage> {
  const name = decodeURIComponent(new URL(databaseUrl).pathname.slice(1))
  const admin = connect(Object.assign(new URL(databaseUrl), { pathname: '/postgres' }).href).$client
  await admin`alter database ${admin(name)} with allow_connections false`
  let over = false
  return {
    endConnections: async () =>
      void (await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`),
    end: async () => {
      if (over) return
      over = true
      await admin`alter database ${admin(name)} with allow_connections true`
      await admin.end({ timeout: 5 })
    },
  }
}
