import type { Application } from '#api/v1alpha1/application.js';
import { sortedViews } from '#queries/views/application-view.js';
import { oneLine } from '#lib/text/text.js';
import type { Terminal } from '../terminal/terminal.js';
import { padded, widthOf } from '../terminal/text.js';
import { isBad, painted, withSymbol } from './state-style.js';

const STATE_COLUMNS = 'Progressing'.length;
const READY_COLUMNS = 'n/m'.length;

/** One line per Application, for people who wait; the cause is at its end where somebody has to act. */
export function progressLines(applications: readonly Application[], terminal: Terminal): string {
  const views = sortedViews(applications);
  const nameColumns = Math.max(0, ...views.map(({ name }) => widthOf(name)));
  const lines = views.map(({ name, ready, state, message }) => {
    const symbol = withSymbol(state, terminal);
    const columns = STATE_COLUMNS + widthOf(symbol) - widthOf(state);
    const shown = painted(padded(symbol, columns), state, terminal);
    const cause = isBad(state) ? oneLine(message) : '';
    return [padded(name, nameColumns), padded(ready, READY_COLUMNS), shown, cause].join('  ').trimEnd();
  });
  return lines.join('\n');
}
