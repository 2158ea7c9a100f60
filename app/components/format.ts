import type { Progress } from './types'

/**
 * Sizes, durations and times as text. All of it is plain arithmetic, so that server and browser write the same and
 * nothing depends on which locales a runtime carries.
 */

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** Bytes for people: `1 byte`, `940 bytes`, `1.4 kB`, `10 MB`. A kB is 1,024 bytes, as in the limits. */
export function formatBytes(bytes: number): string {
  if (bytes === 1) return '1 byte'
  let amount = bytes
  let unit = 0
  while (amount >= 1024 && unit < UNITS.length - 1) {
    amount /= 1024
    unit++
  }
  const digits = unit > 0 && amount < 10 ? 1 : 0
  return `${formatNumber(Number(amount.toFixed(digits)))} ${UNITS[unit]}`
}

export function formatNumber(value: number): string {
  const [whole = '', fraction] = String(value).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/** Measured progress: `3 of 12 pages`, `1.2 MB of 10 MB`. */
export function formatProgress({ done, total, unit }: Progress): string {
  if (unit === 'bytes') return `${formatBytes(done)} of ${formatBytes(total)}`
  return `${formatNumber(done)} of ${formatNumber(total)} ${unit}`
}

/** Milliseconds for people: `under 0.1 s`, `0.4 s`, `12 s`, `3 min 5 s`, `2 h 4 min`. Never negative. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000
  if (seconds < 0.1) return 'under 0.1 s'
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return joined(minutes, 'min', whole % 60, 's')
  return joined(Math.floor(minutes / 60), 'h', minutes % 60, 'min')
}

function joined(first: number, firstUnit: string, second: number, secondUnit: string): string {
  return second === 0 ? `${first} ${firstUnit}` : `${first} ${firstUnit} ${second} ${secondUnit}`
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const

/** `1 Dec 2026, 01:30 UTC`: the same on every machine, so it is what stands in the markup. */
export function formatUtc(iso: string): string {
  const at = new Date(iso)
  return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}, ${clock(at.getUTCHours(), at.getUTCMinutes())} UTC`
}

/** `1 Dec, 02:30` in the zone of the machine that runs this, with the year if it isn't this one: for the browser only. */
export function formatLocal(iso: string, nowMs: number): string {
  const at = new Date(iso)
  const year = at.getFullYear() === new Date(nowMs).getFullYear() ? '' : ` ${at.getFullYear()}`
  return `${at.getDate()} ${MONTHS[at.getMonth()]}${year}, ${clock(at.getHours(), at.getMinutes())}`
}

function clock(hours: number, minutes: number): string {
  return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
}

/** What has just happened must not seem to be still to come where a machine's clock is a little late. */
const CLOCKS_DIFFER_MS = 5_000
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** `just now`, `3 min ago`, `in 6 days`. Null when it is more than 30 days away: then the date says more. */
export function formatRelative(iso: string, nowMs: number): string | null {
  const difference = new Date(iso).getTime() - nowMs
  const distance = Math.abs(difference)
  if (distance < MINUTE_MS) return difference > CLOCKS_DIFFER_MS ? 'in under 1 min' : 'just now'
  if (distance > 30 * DAY_MS) return null
  const amount =
    distance < HOUR_MS
      ? `${Math.floor(distance / MINUTE_MS)} min`
      : distance < DAY_MS
        ? `${Math.floor(distance / HOUR_MS)} h`
        : // A file that was stored just now is kept for seven days, not for six.
          counted(Math.floor((distance + HOUR_MS) / DAY_MS), 'day', 'days')
  return difference > 0 ? `in ${amount}` : `${amount} ago`
}

export function counted(count: number, one: string, many: string): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}
