import type { FieldWords } from './model/plan-words.js';
import { Some } from '../parts/lists.js';

interface ChangedFieldsProps {
  readonly fields: readonly FieldWords[];
  /** Number of others. */
  readonly more: number;
}

/** Fields with what they are, and what they would be. */
export function ChangedFields({ fields, more }: ChangedFieldsProps) {
  if (fields.length === 0) return null;
  return (
    <>
      <Some items={fields}>
        {({ path, old, next }) => (
          <li key={path} class="differences">
            <span class="path">{path}</span>
            {old === '' ? null : <del>{old}</del>}
            {next === '' ? null : <ins>{next}</ins>}
            {old === '' && next === '' ? <span class="hint">It differs, and is not shown.</span> : null}
          </li>
        )}
      </Some>
      {more > 0 ? <p>and {more.toLocaleString()} more fields</p> : null}
    </>
  );
}
