#!/usr/bin/env node
/** Part of `npm run check`: names that wrangler.toml has to write twice must agree, or messages end up where nobody reads them. */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unstable_readConfig as readConfig } from 'wrangler'

const config = readConfig({ config: join(dirname(fileURLToPath(import.meta.url)), '..', 'wrangler.toml') })
const producer = config.queues.producers?.find(({ binding }) => binding === 'TASK_QUEUE')
const consumers = config.queues.consumers ?? []
const tasks = consumers.find(({ queue }) => queue === producer?.queue)
const dead = config.vars.TASK_DEAD_QUEUE_NAME

/** @type {[boolean, string][]} */
const rules = [
  [producer !== undefined, 'a queue producer is bound as TASK_QUEUE'],
  [tasks !== undefined, `the queue "${producer?.queue}" has a consumer`],
  [
    tasks?.dead_letter_queue === dead,
    `TASK_DEAD_QUEUE_NAME ("${dead}") is that consumer's dead_letter_queue`,
  ],
  [
    dead === `${producer?.queue}-dead`,
    'TASK_DEAD_QUEUE_NAME is the task queue’s name with "-dead", as workers/app.ts expects',
  ],
  [consumers.some(({ queue }) => queue === dead), `the queue "${dead}" has a consumer`],
  [consumers.length === 2, 'there is no other consumer: its messages would be retried for ever'],
  [config.triggers.crons?.includes('* * * * *') === true, 'maintenance runs every minute'],
]
const broken = rules.filter(([holds]) => !holds)
for (const [, rule] of broken) console.error(`wrangler.toml: it must hold that ${rule}.`)
process.exit(broken.length === 0 ? 0 : 1)
