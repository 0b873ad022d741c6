/** One process that the supervisor runs for its owner. */
export interface ProcessSpec {
  /** Unique in a world; names the log file too. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What the owner asks of the supervisor. Closing the channel means: the owner is gone, stop all. */
export type SupervisorRequest =
  { type: 'start'; id: number; spec: ProcessSpec } | { type: 'kill'; id: number } | { type: 'stop' };

/** What the supervisor reports. `id` is that of the request. */
export type SupervisorReport =
  { type: 'started'; id: number; pid: number } | { type: 'ended'; id: number; outcome: string } | { type: 'stopped' };

/**
 * File in the world's folder that names every process of it, the supervisor first, for `down` after the worst of
 * crashes.
 */
export const PROCESS_FILE = 'fairlead-processes.json';

/** Log file of a process, below the world's folder. */
export const LOG_FOLDER = 'logs';
