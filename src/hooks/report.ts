import { ConfigError, type ConfigProblem } from '../errors/config-error.ts';

/** What becomes of a mistake: who builds an agent refuses the first, who validates lists them all. */
export type Report = (problem: ConfigProblem) => void;

export function refuse(problem: ConfigProblem): never {
  throw new ConfigError(problem.code, problem);
}
