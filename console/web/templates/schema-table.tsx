import { useMemo } from 'preact/hooks';
import { schemaFields } from '../model/schema-fields.js';

/** What a JSON schema says of values, in words. */
export function SchemaTable({ schema }: { schema: unknown }) {
  const { fields, isCut } = useMemo(() => schemaFields(schema), [schema]);
  if (fields.length === 0) return <p>The schema names no values.</p>;
  return (
    <>
      <dl class="schema">
        {fields.map(({ path, type, isRequired, description, fallback }, index) => (
          <div key={`${index} ${path}`}>
            <dt>
              <code>{path}</code> <span class="hint">{isRequired ? `${type}, required` : type}</span>
            </dt>
            <dd>
              {description}
              {fallback === '' ? null : (
                <>
                  {' '}
                  Default: <code>{fallback}</code>
                </>
              )}
            </dd>
          </div>
        ))}
      </dl>
      {isCut ? <p class="hint">The schema has more: the field valuesSchema of the template has all of it.</p> : null}
    </>
  );
}
