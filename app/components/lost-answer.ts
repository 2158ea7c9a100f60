import type { ShouldRevalidateFunction } from '@remix-run/react'
import type { FailureText } from './types'

/** What only the browser knows: a form was sent and nobody answered. */
export const ANSWER_LOST: FailureText = {
  code: 'ANSWER_LOST',
  message: 'No answer came: the connection may be lost. Your inputs are kept.',
  next: 'Send the form again once you are connected. If it had arrived, you get to the task that it made.',
}

/** A route's `shouldRevalidate`: after a lost answer the page isn't loaded anew, over what may be the same lost connection. */
export const unlessAnswerLost: ShouldRevalidateFunction = ({ actionResult, defaultShouldRevalidate }) =>
  isLost(actionResult) ? false : defaultShouldRevalidate

function isLost(result: unknown): boolean {
  return (
    typeof result === 'object' && result !== null && 'problem' in result && result.problem === ANSWER_LOST
  )
}
