import { AgentHooksError } from './base.ts';

/**
 * The model gave no answer that fits the output schema, as often as it was asked. What it answered is nowhere; what it
 * cost counts.
 */
export class OutputError extends AgentHooksError {
  readonly code = 'output-misfit';
  /** How many answers of the turn did not fit. */
  readonly answers: number;
  /** What was wrong with the last one: fields and what is allowed there, no values. Only in the process of the run. */
  readonly problem: string;

  constructor(about: {
    readonly turnId: string;
    readonly step: number;
    readonly answers: number;
    readonly problem: string;
  }) {
    const { turnId, step, answers, problem } = about;
    super({
      where: `turn '${turnId}', step ${step}`,
      what: `the model gave ${answers} ${answers === 1 ? 'answer that does' : 'answers that do'} not fit the output schema`,
      fix: 'See `problem` for the fields; a simpler schema, a better instruction or more `outputRetries` may help',
    });
    this.name = 'OutputError';
    this.answers = answers;
    this.problem = problem;
  }
}
