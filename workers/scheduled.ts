import { pruneResetLinks } from '~/auth/passwords.server'
import { pruneSessions } from '~/auth/session.server'
import { DELIVERY_BATCH, MAINTENANCE_BATCH, ORPHAN_PAGE } from '~/config/limits'
import { cleanStorage, setDueFilesAside } from '~/files/cleanup.server'
import { trashOrphans } from '~/files/orphans.server'
import { openContext } from '~/invocation.server'
import { pruneCounters } from '~/rate-limits/count.server'
import { deliverDue } from '~/tasks/delivery.server'
import { runMaintenance, type MaintenanceStep } from '~/tasks/maintenance.server'
import { recoverExpiredLeases } from '~/tasks/recovery.server'
import { setStrayResultsAside } from '~/tasks/results.server'

/** What a round does, in this order: tasks come before storage, because people wait for tasks. */
const STEPS: readonly MaintenanceStep[] = [
  { name: 'recover_expired_leases', batch: MAINTENANCE_BATCH, run: recoverExpiredLeases },
  { name: 'set_stray_results_aside', batch: MAINTENANCE_BATCH, run: setStrayResultsAside },
  { name: 'deliver_due', batch: DELIVERY_BATCH, run: deliverDue },
  { name: 'set_due_files_aside', batch: MAINTENANCE_BATCH, run: setDueFilesAside },
  { name: 'clean_storage', batch: MAINTENANCE_BATCH, run: cleanStorage },
]

/** What can wait: once an hour. */
const HOURLY: readonly MaintenanceStep[] = [
  { name: 'trash_orphans', batch: ORPHAN_PAGE, run: trashOrphans },
  { name: 'prune_counters', batch: Infinity, run: pruneCounters },
  { name: 'prune_sessions', batch: Infinity, run: pruneSessions },
  { name: 'prune_reset_links', batch: Infinity, run: pruneResetLinks },
]

/** The minute's round of maintenance. */
export async function scheduled({ scheduledTime }: ScheduledController, env: unknown): Promise<void> {
  const steps = new Date(scheduledTime).getUTCMinutes() === 0 ? [...STEPS, ...HOURLY] : STEPS
  await runMaintenance(steps, () => openContext(env))
}
