import type { ExecutionCode } from '../../config/failures'

/** How far a processor has come: units done of units known, never an invented percentage. */
export interface StageReport {
  stage: string
  done: number
  total: number
  /** What is counted, in the plural: `bytes`, `pages`, `chunks`. */
  unit: string
}

export interface ProcessorInput<Params> {
  bytes: Uint8Array
  /** The input's name, from which the result's name is made. */
  name: string
  params: Params
  /** Tells how far the work has come. Cheap: what is written, and when, is the runner's business. */
  report: (report: StageReport) => void
  /** Aborted when a cancel was requested or the lease is lost: stop as soon as it is convenient. */
  signal: AbortSignal
}

export type ProcessorOutcome =
  | { ok: true; bytes: Uint8Array; type: string; name: string }
  /** A failure that this processor knows and that would come again: the task ends with this code. */
  | { ok: false; code: ExecutionCode }

/** One parameter as a form field: enough for the form, the page and the JSON schema to follow from it. */
export interface ParameterField {
  name: string
  label: string
  help: string
  kind: 'checkbox' | 'select' | 'text'
  options?: { value: string; label: string }[]
  defaultValue: string | boolean
}

export type Parameters = Record<string, unknown>

/**
 * A named, versioned function from input bytes and parameters to output bytes. It sees no database, queue or bucket.
 * Same input, parameters and version → same bytes, where it is deterministic.
 */
export interface Processor {
  name: string
  version: number
  title: string
  description: string
  /** Content types it takes. */
  accepts: readonly string[]
  /** Safe to run again after a lost lease. False: an operator decides what a lost attempt has done. */
  deterministic: boolean
  /** Takes much time or memory: claimed alone, when its turn comes. */
  heavy: boolean
  fields: readonly ParameterField[]
  /** The parameters, typed and complete, or null when one is unknown or not valid. */
  parse: (params: unknown) => Parameters | null
  run: (input: ProcessorInput<Parameters>) => Promise<ProcessorOutcome>
}
