/** Of changes only. */
type ChangeProblem = 'refused' | 'invalid';

export type ProblemKind =
  'login' | 'forbidden' | 'missing' | 'starting' | 'busy' | 'disconnected' | 'broken' | ChangeProblem;

/** Why something cannot be shown, in words. */
export interface Problem {
  readonly kind: ProblemKind;
  readonly title: string;
  /** What the server said, or what can be done. */
  readonly text: string;
}

/** The answer of the server; without a code there was none. */
export interface Failure {
  readonly code?: number;
  readonly text: string;
}

const TITLES: Readonly<Record<ProblemKind, string>> = {
  login: 'Sign in',
  forbidden: 'You may not see this',
  missing: 'Not found',
  starting: 'The server is starting',
  busy: 'Too many requests',
  disconnected: 'The server does not answer',
  broken: 'The server could not answer',
  refused: 'Not done',
  invalid: 'Not accepted',
};

const KINDS: ReadonlyMap<number, ProblemKind> = new Map([
  [401, 'login'],
  [403, 'forbidden'],
  [404, 'missing'],
  [429, 'busy'],
  [503, 'starting'],
]);

const CHANGE_KINDS: ReadonlyMap<number, ProblemKind> = new Map<number, ProblemKind>([
  ...KINDS,
  [400, 'invalid'],
  [409, 'refused'],
  [413, 'invalid'],
  [422, 'invalid'],
]);

const REACHABLE = 'Check that `fairlead console` runs and can be reached';
const WITHOUT_ANSWER = `Retrying until it answers. ${REACHABLE}.`;
const ASKED_ONCE = `${REACHABLE}, and try again.`;
const MOST_CHARACTERS = 500;

function textOf({ text }: Failure): string {
  try {
    // Errors are text, and some are a Status of Kubernetes.
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message : text;
  } catch {
    return text;
  }
}

const CHANGE_WITHOUT_ANSWER = 'Nobody knows whether it was done: look before you try again.';

function problemIn(failure: Failure, kinds: ReadonlyMap<number, ProblemKind>, withoutAnswer: string): Problem {
  const { code } = failure;
  const kind = code === undefined ? 'disconnected' : (kinds.get(code) ?? 'broken');
  const text = code === undefined ? withoutAnswer : textOf(failure).slice(0, MOST_CHARACTERS);
  return { kind, title: TITLES[kind], text: text === '' ? `It answered ${code ?? 'nothing'}.` : text };
}

/** Why nothing can be read, of what is asked for until it is answered. */
export function problemOf(failure: Failure): Problem {
  return problemIn(failure, KINDS, WITHOUT_ANSWER);
}

/** Why somebody who asked once, for what changes nothing, does not know. */
export function onceProblemOf(failure: Failure): Problem {
  return problemIn(failure, KINDS, ASKED_ONCE);
}

/** Why nothing was changed. */
export function changeProblemOf(failure: Failure): Problem {
  const problem = problemIn(failure, CHANGE_KINDS, CHANGE_WITHOUT_ANSWER);
  return problem.kind === 'forbidden' ? { ...problem, title: 'You may not do this' } : problem;
}

/** For where no title is shown. */
export function inOneText({ kind, title, text }: Problem): string {
  return kind === 'disconnected' ? `${title}. ${text}` : text;
}
