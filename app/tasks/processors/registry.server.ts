import type { Processor } from './processor'
import { textNormalize } from './text-normalize.server'

/** Every processor there is. The form, the limits, the price and the pages follow from its description. */
export const PROCESSORS: readonly Processor[] = [textNormalize]

/** The newest version of a processor by its name: what a new task is made for. */
export function findProcessor(name: string): Processor | null {
  return PROCESSORS.find((processor) => processor.name === name) ?? null
}

/** A task's own processor. Null: this Worker doesn't know that version (a rolling deploy), so it may not claim the task. */
export function findProcessorVersion(name: string, version: number): Processor | null {
  return PROCESSORS.find((processor) => processor.name === name && processor.version === version) ?? null
}

/** As the engine's functions compare them: `name@version`. */
export const processorKey = (processor: { name: string; version: number }) =>
  `${processor.name}@${processor.version}`

/** Content types that some processor takes: what may be uploaded. */
export function processorInputTypes(): string[] {
  return [...new Set(PROCESSORS.flatMap((processor) => processor.accepts))]
}
