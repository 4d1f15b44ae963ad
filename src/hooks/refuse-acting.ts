import { ConfigError } from '../errors/config-error.ts';
import { type Part, pointsOf } from './plan.ts';
import { POINTS } from './points.ts';

/** Refuses methods that act in place of answering with a decision: there is no answer to compare or to set aside. */
export function refuseActing(by: string, parts: readonly Part[]): void {
  for (const part of parts) {
    const acts = pointsOf(part).find(
      (point) => POINTS[point].codec === undefined && point !== 'onEvent',
    );
    if (acts === undefined) continue;
    throw new ConfigError('invalid-option', {
      where: by,
      what: `was given a policy with '${acts}', which acts in place of answering with a decision`,
      fix: 'Move the method to a policy of its own, outside of it',
    });
  }
}
