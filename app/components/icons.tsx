import type { TaskStatus } from '../config/task-statuses'

/*
 * One set, drawn on 20 × 20 with one stroke width, as paths alone: elements would be several times the script.
 * Open shapes are under way; filled ones have ended, with a sign cut out of them.
 */
const RING = 'M2.5 10a7.5 7.5 0 1 0 15 0 7.5 7.5 0 1 0-15 0'

const STATE_LINES: Record<TaskStatus, string> = {
  // The ring is drawn dotted.
  pending: RING,
  queued: `${RING}M10 5.8V10l2.8 1.8`,
  // The wheel turns: paddles between hub and rim.
  running: `${RING}M7.4 10a2.6 2.6 0 1 0 5.2 0 2.6 2.6 0 1 0-5.2 0M10 7.4l3.6-4M12.3 8.7l5.2 1.1M12.3 11.3l1.6 5.1M10 12.6l-3.6 4M7.7 11.3l-5.2-1.1M7.7 8.7 6.1 3.6`,
  retry_wait: 'M16.9 8.2A7.2 7.2 0 1 0 17 11.6M17.4 3.6v4.7h-4.7',
  reconciling:
    'M6.6 6.4a3.4 3.4 0 1 0 6.8 0 3.4 3.4 0 1 0-6.8 0M3.4 17.6c.6-3.5 3.2-5.2 6.6-5.2s6 1.7 6.6 5.2',
  succeeded: 'm6.6 10.3 2.3 2.3 4.6-5',
  failed: 'M7.3 7.3l5.4 5.4M12.7 7.3l-5.4 5.4',
  canceled: `${RING}M4.8 15.2 15.2 4.8`,
}

const STATE_GROUNDS: Partial<Record<TaskStatus, string>> = {
  succeeded: RING,
  failed: 'M6.9 2.5h6.2l4.4 4.4v6.2l-4.4 4.4H6.9l-4.4-4.4V6.9z',
}

const SIGNS = {
  alert: `${RING}M10 6v4.6M10 13.9v.1`,
  info: `${RING}M10 9.4V14M10 6.1v.1`,
  download: 'M10 2.8v10M5.8 8.9l4.2 4.2 4.2-4.2M3.4 17.2h13.2',
  plus: 'M10 3.5v13M3.5 10h13',
  back: 'M16.5 10h-13M8.5 4.8 3.3 10l5.2 5.2',
  forward: 'M3.5 10h13M11.5 4.8l5.2 5.2-5.2 5.2',
  open: 'm5 7.6 5 5 5-5',
  stored:
    'M3.2 11.6v4.9h13.6v-4.9M3.2 11.6 5.6 4h8.8l2.4 7.6M3.2 11.6h4c.3 1.6 1.2 2.4 2.8 2.4s2.5-.8 2.8-2.4h4',
  handed: 'M2.5 10h8M7.3 6.2l3.9 3.8-3.9 3.8M12.8 3.4h4.4v13.2h-4.4',
  stop: 'M4.5 4.5h11v11h-11z',
  broken: 'M2.5 10h4.8M12.7 10h4.8M7.3 6.6v6.8M12.7 6.6v6.8',
}

export type SignName = keyof typeof SIGNS

interface DrawingProps {
  lines: string
  ground?: string
  dotted?: boolean
  size?: number
}

/** Icons never speak for themselves: a word stands beside each, so all are hidden from screen readers. */
function Drawing({ lines, ground, dotted, size = 20 }: DrawingProps) {
  return (
    <svg viewBox="0 0 20 20" width={size} height={size} aria-hidden="true" focusable="false" className="icon">
      {ground ? <path d={ground} className="icon-ground" /> : null}
      <path
        d={lines}
        stroke={ground ? 'var(--color-paper)' : undefined}
        strokeDasharray={dotted ? '0.5 3.43' : undefined}
      />
    </svg>
  )
}

export function StateIcon({ status, size }: { status: TaskStatus; size?: number }) {
  return (
    <Drawing
      lines={STATE_LINES[status]}
      ground={STATE_GROUNDS[status]}
      dotted={status === 'pending'}
      size={size}
    />
  )
}

/** An icon for something other than a state. */
export function Sign({ name }: { name: SignName }) {
  return <Drawing lines={SIGNS[name]} />
}
