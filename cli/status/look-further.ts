import { isBad } from './state-style.js';
import type { Row } from './status-table.js';

/** More commands would not be read: the worst rows come first. */
const MOST = 3;

const CHILD = /^(\w+) (?:(\S+)\/)?(\S+)$/;

/** What shows more than a row of the table: the child with its conditions and events, else the Application. */
function commandFor({ child, application }: Row): string {
  const [, kind = 'gapp', , name = application.name] = CHILD.exec(child) ?? [];
  return `kubectl -n ${application.namespace} describe ${kind.toLowerCase()} ${name}`;
}

/** Commands that look further into the worst rows; none where all is well. */
export function lookFurther(rows: readonly Row[]): string[] {
  const commands = rows.filter(({ state }) => isBad(state)).map(commandFor);
  return [...new Set(commands)].slice(0, MOST);
}
