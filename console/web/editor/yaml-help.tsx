import type { FieldHelp } from '../model/yaml-choices.js';
import type { Findings } from '../model/yaml-findings.js';
import type { Assist } from './use-assist.js';

/** What the schema says of the field at the cursor. */
function Field({ id, help }: { id: string; help: FieldHelp | undefined }) {
  if (help === undefined) {
    return (
      <p id={id} class="hint">
        Ctrl+Space lists what may stand at the cursor.
      </p>
    );
  }
  const { path, type, isRequired, fallback, description } = help;
  return (
    <p id={id} class="hint">
      <code>{path}</code>: {type}
      {isRequired ? ', required' : ''}
      {fallback === '' ? '' : `, default ${fallback}`}. {description}
    </p>
  );
}

interface FindingListProps extends Findings {
  readonly show: (line: number, column: number) => void;
}

/** What does not fit the schema, line by line. */
function FindingList({ findings, isCut, show }: FindingListProps) {
  if (findings.length === 0) return null;
  return (
    <ul class="findings" aria-label="What does not fit the schema">
      {findings.map(({ line, column, text }) => (
        <li key={`${line} ${column}`}>
          <button type="button" class="small" onClick={() => show(line, column)}>
            Line {line}
          </button>{' '}
          {text}
        </li>
      ))}
      {isCut ? <li>There are more.</li> : null}
    </ul>
  );
}

/** In one line, which screen readers say when nothing else is to be said. */
function statusWords({ list, isAtLoss }: Pick<Assist, 'list' | 'isAtLoss'>, { findings, isCut }: Findings): string {
  if (list !== undefined)
    return `${list.choices.length} may stand here: arrow keys choose, Enter takes, Escape closes.`;
  if (isAtLoss) return 'Nothing is known that may stand here.';
  if (findings.length === 0) return '';
  return `${isCut ? 'More than ' : ''}${findings.length} ${findings.length === 1 ? 'place does' : 'places do'} not fit the schema.`;
}

interface YamlHelpProps extends Pick<FindingListProps, 'show'> {
  readonly id: string;
  readonly assist: Assist;
  readonly found: Findings;
}

/** What the schema says, below the text. */
export function YamlHelp({ id, assist, found, show }: YamlHelpProps) {
  return (
    <>
      <p class="hint" role="status">
        {statusWords(assist, found)}
      </p>
      <Field id={id} help={assist.help} />
      <FindingList {...found} show={show} />
    </>
  );
}
