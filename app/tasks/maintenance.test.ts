import { describe, expect, it, vi } from 'vitest'
import type { AppContext } from '../context.server'
import type { LogFields } from '../log.server'
import { runMaintenance, type MaintenanceStep } from './maintenance.server'

/** A round's contexts, in the order they were opened; the steps here need nothing of them but the log. */
function contexts() {
  const logged: LogFields[] = []
  const opened: { closed: boolean }[] = []
  return {
    logged,
    opened,
    open: () => {
      const context = { closed: false }
      opened.push(context)
      return {
        app: {
          log: (_: string, fields: LogFields = {}) => void logged.push(fields),
        } as unknown as AppContext,
        close: () => {
          context.closed = true
          return Promise.resolve()
        },
      }
    },
  }
}

const step = (name: string, run: () => Promise<number>, batch = 10): MaintenanceStep => ({ name, batch, run })

describe('a round of maintenance', () => {
  it('runs its steps in order, each until nothing more is due', async () => {
    const { open, logged, opened } = contexts()
    const left = { first: 25, second: 3 }
    const taking = (name: 'first' | 'second') => () => {
      const taken = Math.min(10, left[name])
      left[name] -= taken
      return Promise.resolve(taken)
    }
    await runMaintenance([step('first', taking('first')), step('second', taking('second'))], open)
    expect(logged).toMatchObject([
      { step: 'first', outcome: 'done', items: 25 },
      { step: 'second', outcome: 'done', items: 3 },
    ])
    expect(opened).toEqual([{ closed: true }])
  })

  it('goes on with a fresh context after a step that fails', async () => {
    const { open, logged, opened } = contexts()
    await runMaintenance(
      [step('bad', () => Promise.reject(new TypeError('secret'))), step('good', () => Promise.resolve(0))],
      open,
    )
    expect(logged).toMatchObject([
      { step: 'bad', outcome: 'failed', error: 'TypeError' },
      { step: 'good', outcome: 'done' },
    ])
    expect(JSON.stringify(logged)).not.toContain('secret')
    expect(opened).toEqual([{ closed: true }, { closed: true }])
  })

  it('goes on after ten seconds when a step hangs', async () => {
    vi.useFakeTimers()
    try {
      const { open, logged } = contexts()
      const round = runMaintenance(
        [step('hangs', () => new Promise(() => {})), step('good', () => Promise.resolve(0))],
        open,
      )
      await vi.advanceTimersByTimeAsync(10_000)
      await round
      expect(logged).toMatchObject([
        { step: 'hangs', outcome: 'out_of_time' },
        { step: 'good', outcome: 'done' },
      ])
    } finally {
      vi.useRealTimers()
    }
  })

  it('ends a step that always has more to do', async () => {
    vi.useFakeTimers()
    try {
      const { open, logged } = contexts()
      const endless = () => new Promise<number>((resolve) => setTimeout(() => resolve(10), 1000))
      const round = runMaintenance([step('endless', endless), step('good', () => Promise.resolve(0))], open)
      await vi.advanceTimersByTimeAsync(11_000)
      await round
      expect(logged).toMatchObject([{ step: 'endless', outcome: 'out_of_time' }, { step: 'good' }])
    } finally {
      vi.useRealTimers()
    }
  })
})
