import type { ReactNode } from 'react'
import type { TaskStatus } from './types'

/*
 * One set, drawn on 20 × 20 with one stroke width. Open shapes are under way; filled ones have ended.
 * Icons never speak for themselves: a word stands beside each, so all are hidden from screen readers.
 */
function Icon({ children, size = 20 }: { children: ReactNode; size?: number }) {
  return (
    <svg
      viewBox="0 0 20 20"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
      className="shrink-0"
    >
      {children}
    </svg>
  )
}

const ring = <circle cx="10" cy="10" r="7.5" />

const STATE_SHAPES: Record<TaskStatus, ReactNode> = {
  pending: <circle cx="10" cy="10" r="7.5" strokeDasharray="0.5 3.43" strokeWidth="2" />,
  queued: (
    <>
      {ring}
      <path d="M10 5.8V10l2.8 1.8" />
    </>
  ),
  // The wheel turns: paddles between hub and rim.
  running: (
    <>
      {ring}
      <circle cx="10" cy="10" r="2.6" />
      <path d="M10 7.4L13.6 3.42M12.25 8.7L17.5 9.82M12.25 11.3L13.9 16.4M10 12.6L6.4 16.58M7.75 11.3L2.5 10.18M7.75 8.7L6.1 3.6" />
    </>
  ),
  retry_wait: <path d="M16.9 8.2A7.2 7.2 0 1 0 17 11.6M17.4 3.6v4.7h-4.7" />,
  reconciling: (
    <>
      <circle cx="10" cy="6.4" r="3.4" />
      <path d="M3.4 17.6c.6-3.5 3.2-5.2 6.6-5.2s6 1.7 6.6 5.2" />
    </>
  ),
  succeeded: (
    <>
      <circle cx="10" cy="10" r="7.5" fill="currentColor" />
      <path d="m6.6 10.3 2.3 2.3 4.6-5" stroke="var(--color-paper)" />
    </>
  ),
  failed: (
    <>
      <path d="M6.9 2.5h6.2l4.4 4.4v6.2l-4.4 4.4H6.9l-4.4-4.4V6.9z" fill="currentColor" />
      <path d="M7.3 7.3l5.4 5.4M12.7 7.3l-5.4 5.4" stroke="var(--color-paper)" />
    </>
  ),
  canceled: (
    <>
      {ring}
      <path d="M4.8 15.2 15.2 4.8" />
    </>
  ),
}

export function StateIcon({ status, size }: { status: TaskStatus; size?: number }) {
  return <Icon size={size}>{STATE_SHAPES[status]}</Icon>
}

const SHAPES = {
  alert: (
    <>
      {ring}
      <path d="M10 6v4.6M10 13.9v.1" />
    </>
  ),
  info: (
    <>
      {ring}
      <path d="M10 9.4V14M10 6.1v.1" />
    </>
  ),
  download: <path d="M10 2.8v10M5.8 8.9l4.2 4.2 4.2-4.2M3.4 17.2h13.2" />,
  plus: <path d="M10 3.5v13M3.5 10h13" />,
  back: <path d="M16.5 10h-13M8.5 4.8 3.3 10l5.2 5.2" />,
  forward: <path d="M3.5 10h13M11.5 4.8l5.2 5.2-5.2 5.2" />,
  open: <path d="m5 7.6 5 5 5-5" />,
  stored: (
    <path d="M3.2 11.6v4.9h13.6v-4.9M3.2 11.6 5.6 4h8.8l2.4 7.6M3.2 11.6h4c.3 1.6 1.2 2.4 2.8 2.4s2.5-.8 2.8-2.4h4" />
  ),
  handed: <path d="M2.5 10h8M7.3 6.2l3.9 3.8-3.9 3.8M12.8 3.4h4.4v13.2h-4.4" />,
  stop: <rect x="4.5" y="4.5" width="11" height="11" rx="1" />,
  broken: <path d="M2.5 10h4.8M12.7 10h4.8M7.3 6.6v6.8M12.7 6.6v6.8" />,
} satisfies Record<string, ReactNode>

export type SignName = keyof typeof SHAPES

export function Sign({ name, size }: { name: SignName; size?: number }) {
  return <Icon size={size}>{SHAPES[name]}</Icon>
}
