import type { Step, Story } from './steps.js';

const NO_DETAILS: readonly string[] = ['do', 'app', 'cluster', 'member', 'seconds'];

function detailsOf(step: Step): string {
  const details = Object.entries(step).filter(([key]) => !NO_DETAILS.includes(key));
  return details.map(([key, value]) => ` ${key}=${JSON.stringify(value)}`).join('');
}

function subjectOf(step: Step): string {
  const subjects = (['app', 'cluster', 'member'] as const).flatMap((key) => {
    const value: unknown = Reflect.get(step, key);
    return typeof value === 'string' ? [value] : [];
  });
  return subjects.length === 0 ? '' : ` ${subjects.join(' ')}`;
}

/** One step as a line for people: what is done, to what, and how long everybody then works. */
function printStep(step: Step): string {
  return `${step.do}${subjectOf(step)}${detailsOf(step)}, then ${step.seconds} s`;
}

/** A story as numbered lines. */
export function printStory({ members, isEngineExternal = false, steps }: Story): string {
  const head = `members ${members.join(', ')}; engine: ${isEngineExternal ? 'Flux' : 'embedded'}`;
  return [head, ...steps.map((step, index) => `${index + 1}. ${printStep(step)}`)].join('\n');
}
