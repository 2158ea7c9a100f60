import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { TASK_STATUSES } from '../config/task-statuses'
import { StateBadge } from './state-badge'
import { STATES, taskTitle } from './wording'

it('every status has an icon and a word that no other has', () => {
  const drawings = TASK_STATUSES.map((status) => {
    const html = renderToStaticMarkup(<StateBadge status={status} />)
    expect(html).toContain(STATES[status].word)
    return /<svg.*<\/svg>/.exec(html)?.[0]
  })
  expect(drawings).not.toContain(undefined)
  expect(new Set(drawings).size).toBe(TASK_STATUSES.length)
  expect(new Set(TASK_STATUSES.map((status) => STATES[status].word)).size).toBe(TASK_STATUSES.length)
  expect(new Set(TASK_STATUSES.map((status) => STATES[status].sign)).size).toBe(TASK_STATUSES.length)
})

it('a task’s title tells its state and its file, with nothing hidden in the name', () => {
  expect(taskTitle({ status: 'succeeded', inputName: 'notes.txt' })).toBe('✓ Done – notes.txt · Millrace')
  const hostile = `a${String.fromCodePoint(0x202e)}b`
  expect(taskTitle({ status: 'running', inputName: hostile })).toBe('● Running – a⟨U+202E⟩b · Millrace')
})
