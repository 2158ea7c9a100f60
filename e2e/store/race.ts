import { Violation, type Stage } from './sessions'

export interface Race {
  name: string
  rounds: number
  /**
   * One round on accounts of its own, from preparing it to looking at what it left. Answers what happened, in a few words;
   * throws a `Violation` when that was none of what may happen. `gated` rounds hold everyone up before they decide.
   */
  round: (stage: Stage, gated: boolean, number: number) => Promise<string>
}

/** Runs all rounds, every other one gated, and answers how often each outcome came. Throws at the first violation. */
export async function runRace(stage: Stage, race: Race, signal: AbortSignal): Promise<Map<string, number>> {
  const outcomes = new Map<string, number>()
  for (let number = 0; number < race.rounds; number += 1) {
    signal.throwIfAborted()
    const gated = number % 2 === 1
    try {
      const outcome = await race.round(stage, gated, Math.floor(number / 2))
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      await stage.checkInvariants()
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      const where = `round ${number + 1} of ${race.rounds}${gated ? ', everyone held up at one lock' : ''}`
      throw new Violation(`VIOLATED in "${race.name}", ${where}:\n  ${error.message}`)
    }
    await stage.clear()
  }
  return outcomes
}
