/**
 * Every failure a person can meet: its stable code, family, HTTP status, one plain sentence and the next step.
 * The codes and statuses are part of the HTTP contract; the text is for people and may be reworded or translated.
 */
export type FailureFamily = 'task' | 'file' | 'execution' | 'account'

interface Failure {
  family: FailureFamily
  status: number
  /** What happened, and whether anything was lost. */
  message: string
  /** What to do about it. */
  next: string
}

export const FAILURES = {
  INVALID_INPUT: {
    family: 'task',
    status: 400,
    message: 'Something in the form is missing or not valid. Nothing was changed.',
    next: 'Correct the marked field and send it again.',
  },
  UNAUTHENTICATED: {
    family: 'task',
    status: 401,
    message: 'You are not signed in.',
    next: 'Sign in and try again.',
  },
  INSUFFICIENT_CREDITS: {
    family: 'task',
    status: 402,
    message: 'You don’t have enough credits for this. Nothing was charged.',
    next: 'Choose something else, or ask whoever runs this site for credits.',
  },
  BAD_ORIGIN: {
    family: 'task',
    status: 403,
    message: 'This request didn’t come from this site’s own pages, so it was refused. Nothing was changed.',
    next: 'Open the page on this site and send the form from there.',
  },
  CAPTCHA_FAILED: {
    family: 'task',
    status: 403,
    message: 'The check that you are a person didn’t succeed. Your inputs are kept.',
    next: 'Complete the check and send the form again. It needs JavaScript.',
  },
  NOT_FOUND: {
    family: 'task',
    status: 404,
    message: 'There is nothing here.',
    next: 'Check the address, or go back to your tasks.',
  },
  REQUEST_CONFLICT: {
    family: 'task',
    status: 409,
    message: 'This form was already sent with other inputs, and that task was kept.',
    next: 'Look at the earlier task, or send the form again to start a second one.',
  },
  ACTIVE_LIMIT: {
    family: 'task',
    status: 409,
    message: 'You already have as many unfinished tasks as this site allows. Your inputs are kept.',
    next: 'Wait until one ends, or cancel one, then send the form again.',
  },
  QUOTE_CHANGED: {
    family: 'task',
    status: 409,
    message: 'The price has changed since this form was shown. Nothing was charged and your inputs are kept.',
    next: 'Look at the new price and send the form again if you agree.',
  },
  NOT_RETRYABLE: {
    family: 'task',
    status: 409,
    message: 'This task can’t be retried.',
    next: 'Start a new task with the same inputs.',
  },
  NOT_FINISHED: {
    family: 'task',
    status: 409,
    message: 'This task hasn’t ended yet.',
    next: 'Wait until it has ended.',
  },
  RATE_LIMITED: {
    family: 'task',
    status: 429,
    message: 'That was more requests than this site allows in a minute. Nothing was changed.',
    next: 'Wait a minute and try again.',
  },
  DISABLED: {
    family: 'task',
    status: 503,
    message: 'New tasks are switched off at the moment. Your files and tasks are safe.',
    next: 'Try again later.',
  },
  NOT_CONFIGURED: {
    family: 'task',
    status: 503,
    message: 'This site isn’t completely set up, so nothing was stored.',
    next: 'Ask whoever runs this site to configure file storage and the task queue.',
  },
  BUSY: {
    family: 'task',
    status: 503,
    message: 'Too much is being uploaded at this moment. Nothing was stored.',
    next: 'Try again in a few seconds.',
  },
  UNEXPECTED: {
    family: 'task',
    status: 500,
    message: 'Something went wrong on our side.',
    next: 'Reload the page to see what was stored. Sending the same form again is safe.',
  },

  RESET_LINK_INVALID: {
    family: 'account',
    status: 410,
    message: 'This link was used already, has ended after an hour, or isn’t whole. Nothing was changed.',
    next: 'Ask for a new link.',
  },
  MAIL_NOT_CONFIGURED: {
    family: 'account',
    status: 503,
    message: 'This site can’t send mail, so it can’t send you a link.',
    next: 'Ask whoever runs this site to set a new password with you.',
  },

  FILE_EMPTY: {
    family: 'file',
    status: 400,
    message: 'The file is empty, so it wasn’t kept.',
    next: 'Choose a file with something in it.',
  },
  FORM_INCOMPLETE: {
    family: 'file',
    status: 400,
    message:
      'The form broke off, or its requestKey followed files that were kept already. The rest wasn’t kept.',
    next: 'Look at your files, then send what is missing, with the requestKey before the files.',
  },
  FILE_NOT_FOUND: {
    family: 'file',
    status: 404,
    message: 'This file isn’t there, or isn’t there any more.',
    next: 'Choose another file, or upload it again.',
  },
  UPLOAD_FAILED: {
    family: 'file',
    status: 503,
    message: 'File storage could not be reached, so the file wasn’t kept.',
    next: 'Send it again in a few minutes.',
  },
  FILE_IN_USE: {
    family: 'file',
    status: 409,
    message: 'An unfinished task needs this file, so it wasn’t deleted.',
    next: 'Wait until the task ends, or cancel it, then delete the file.',
  },
  STORAGE_FULL: {
    family: 'file',
    status: 409,
    message: 'There isn’t enough room left in your storage.',
    next: 'Delete files that you no longer need, then try again.',
  },
  INPUT_CHANGED: {
    family: 'execution',
    status: 409,
    message: 'The stored file is no longer the one this task was made for.',
    next: 'Upload the file again and start a new task.',
  },
  FILE_EXPIRED: { family: 'file', status: 410, message: 'This file has expired.', next: 'Upload it again.' },
  RESULT_EXPIRED: {
    family: 'file',
    status: 410,
    message: 'The result of this task has expired or was deleted.',
    next: 'Start a new task with the same inputs.',
  },
  FILE_TOO_LARGE: {
    family: 'file',
    status: 413,
    message: 'The file is larger than this site takes, so it wasn’t kept.',
    next: 'Choose a smaller file, or split it.',
  },
  FILE_TYPE_UNSUPPORTED: {
    family: 'file',
    status: 415,
    message: 'No processor here takes a file of this type.',
    next: 'Choose a file of a type that is listed in the form.',
  },

  INPUT_MISSING: {
    family: 'execution',
    status: 409,
    message: 'The stored file could not be found when the task ran.',
    next: 'Upload the file again and start a new task.',
  },
  INPUT_NOT_UTF8: {
    family: 'execution',
    status: 409,
    message: 'The file isn’t valid UTF-8 text. It was not changed.',
    next: 'Save it as UTF-8, upload that and start a new task.',
  },
  STORAGE_UNAVAILABLE: {
    family: 'execution',
    status: 409,
    message: 'File storage could not be reached. Your file is safe.',
    next: 'Retry the task in a few minutes.',
  },
  RESULT_TOO_LARGE: {
    family: 'execution',
    status: 409,
    message: 'The result is larger than this site keeps.',
    next: 'Start a task with a smaller file.',
  },
  PROCESSOR_UNAVAILABLE: {
    family: 'execution',
    status: 409,
    message: 'The processor that this task asks for was not available.',
    next: 'Retry the task; if it fails again, start a new one.',
  },
  LEASE_EXPIRED: {
    family: 'execution',
    status: 409,
    message: 'The worker stopped answering while it ran this task, every time it was tried.',
    next: 'Retry the task if attempts are left, or start a new one.',
  },
  DELIVERY_EXHAUSTED: {
    family: 'execution',
    status: 409,
    message: 'The task could not be handed to a worker. That used up no attempt, and your file is safe.',
    next: 'Retry the task.',
  },
  RECONCILED: {
    family: 'execution',
    status: 409,
    message: 'The outcome was uncertain after a worker stopped, and the operator ended the task.',
    next: 'Start a new task with the same inputs.',
  },
  INTERNAL: {
    family: 'execution',
    status: 409,
    message: 'The task failed for a reason on our side. Your file is safe.',
    next: 'Retry the task if attempts are left, or start a new one.',
  },
} as const satisfies Record<string, Failure>

export type FailureCode = keyof typeof FAILURES

/** Codes that stand on a task as the reason why it ended or is being retried. */
export const EXECUTION_CODES = [
  'INPUT_MISSING',
  'INPUT_CHANGED',
  'INPUT_NOT_UTF8',
  'STORAGE_UNAVAILABLE',
  'STORAGE_FULL',
  'RESULT_TOO_LARGE',
  'PROCESSOR_UNAVAILABLE',
  'LEASE_EXPIRED',
  'DELIVERY_EXHAUSTED',
  'RECONCILED',
  'INTERNAL',
] as const satisfies FailureCode[]

/** Failures that lie in the file: the same inputs would end the same way, another file may not. */
export const FAILED_BY_FILE: readonly FailureCode[] = [
  'INPUT_MISSING',
  'INPUT_CHANGED',
  'INPUT_NOT_UTF8',
  'RESULT_TOO_LARGE',
]

export type ExecutionCode = (typeof EXECUTION_CODES)[number]
