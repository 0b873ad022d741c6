import { createInterface } from 'node:readline/promises';

/** Asks on the terminal; true only for a typed `yes`. An end of the input, or Ctrl-C, is a no. */
async function asksForYes(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new AbortController();
  terminal.once('close', () => closed.abort());
  try {
    const answer = await terminal.question(`${question} Type yes to continue: `, { signal: closed.signal });
    return answer.trim() === 'yes';
  } catch (error: unknown) {
    if (closed.signal.aborted) return false;
    throw error;
  } finally {
    terminal.close();
  }
}

export interface Consent {
  /** The user said so on the command line. */
  readonly isGiven: boolean;
  /** What is about to happen, in one sentence. */
  readonly question: string;
}

/** Throws unless the user agrees, by a flag or on the terminal. Without a terminal, only the flag counts. */
export async function requireConsent({ isGiven, question }: Consent): Promise<void> {
  if (isGiven) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new Error('nothing was removed: there is no terminal to ask on; repeat with --yes');
  }
  if (!(await asksForYes(question))) throw new Error('nothing was removed');
}
