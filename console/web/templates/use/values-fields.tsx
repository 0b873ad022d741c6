import { useMemo } from 'preact/hooks';
import { YamlText } from '../../editor/yaml-text.js';
import { keyOf, OTHERS, shownText, type Entered } from '../model/entered-values.js';
import { treeOfValues } from '../../model/values-schema.js';
import type { FormGroup, SchemaForm } from '../model/schema-form.js';
import { ValueField } from './value-field.js';

interface ValuesFieldsProps {
  /** Of the template. */
  readonly schema: unknown;
  readonly form: SchemaForm;
  readonly entered: Entered;
  readonly problems: ReadonlyMap<string, string>;
  readonly enter: (key: string, text: string) => void;
}

function Fields({ group, entered, problems, enter, schema }: Omit<ValuesFieldsProps, 'form'> & { group: FormGroup }) {
  const { title, description, fields } = group;
  return (
    <fieldset>
      <legend>{title === '' ? 'Values' : `Values of ${title}`}</legend>
      {description === '' ? null : <p class="hint">{description}</p>}
      <div class="entries">
        {fields.map((field) => {
          const key = keyOf(field);
          const text = Object.hasOwn(entered, key) ? (entered[key] ?? '') : shownText(field);
          const write = (typed: string): void => enter(key, typed);
          return <ValueField key={key} {...{ field, text, schema }} problem={problems.get(key) ?? ''} enter={write} />;
        })}
      </div>
    </fieldset>
  );
}

/** A field for each value of the schema, and YAML for the others. */
export function ValuesFields({ form, entered, problems, enter, schema }: ValuesFieldsProps) {
  const tree = useMemo(() => treeOfValues(schema, []), [schema]);
  const { groups, isCut } = form;
  const problem = problems.get(OTHERS);
  return (
    <>
      {groups.map((group) => (
        <Fields key={group.title} {...{ group, entered, problems, enter, schema }} />
      ))}
      {isCut ? <p class="hint">The schema has more values than a form can show: they are set below.</p> : null}
      <YamlText
        label={groups.length === 0 ? 'Values that differ from the defaults (YAML)' : 'Other values (YAML)'}
        text={entered[OTHERS] ?? ''}
        write={(typed) => enter(OTHERS, typed)}
        problem={problem === undefined ? undefined : { text: problem }}
        rows={groups.length === 0 ? 12 : 4}
        tree={tree}
      />
    </>
  );
}
