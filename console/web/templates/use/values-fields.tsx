import type { ComponentChildren } from 'preact';
import { useId, useMemo } from 'preact/hooks';
import { printJson } from '#lib/json/lossless-json.js';
import type { FormField, FormGroup, SchemaForm } from '../model/schema-form.js';
import { treeOfValues } from '../../model/values-schema.js';
import { YamlText } from '../../editor/yaml-text.js';
import { keyOf, OTHERS, shownText, type Entered } from '../model/use-form.js';

interface ValueFieldProps {
  readonly field: FormField;
  /** The schema of all values. */
  readonly schema: unknown;
  readonly text: string;
  /** Empty: there is none. */
  readonly problem: string;
  readonly enter: (text: string) => void;
}

/** The texts that describe a control. */
interface Described {
  readonly id: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string;
  readonly 'aria-required': boolean;
}

interface EntryProps extends Pick<ValueFieldProps, 'field' | 'problem'> {
  /** Said besides the description. */
  readonly hint?: string;
  readonly children: (described: Described) => ComponentChildren;
}

function labelOf({ title, isRequired, fallback }: FormField): string {
  return isRequired && fallback === undefined ? `${title} (required)` : title;
}

function Entry({ field, problem, hint = '', children }: EntryProps) {
  const id = useId();
  const help = [field.description, hint].filter((each) => each !== '').join(' ');
  const described = {
    ...{ id, 'aria-invalid': problem !== '', 'aria-required': field.isRequired },
    'aria-describedby': `${id}-help ${id}-problem`,
  };
  return (
    <div class="entry">
      <label for={id}>{labelOf(field)}</label>
      {children(described)}
      {help === '' ? null : (
        <p id={`${id}-help`} class="hint">
          {help}
        </p>
      )}
      {problem === '' ? null : (
        <p id={`${id}-problem`} class="bad">
          {problem}
        </p>
      )}
    </div>
  );
}

const YES_OR_NO = [
  ['true', 'true'],
  ['false', 'false'],
] as const;

function choicesOf({ input, choices }: FormField): readonly (readonly [value: string, text: string])[] {
  if (input === 'boolean') return YES_OR_NO;
  return choices.map((choice) => [printJson(choice), typeof choice === 'string' ? choice : printJson(choice)]);
}

function ChoiceField({ field, text, problem, enter }: ValueFieldProps) {
  return (
    <Entry {...{ field, problem }}>
      {(described) => (
        <select {...described} value={text} onChange={(event) => enter(event.currentTarget.value)}>
          {field.fallback === undefined ? <option value="">not set</option> : null}
          {choicesOf(field).map(([value, shown]) => (
            <option key={value} value={value}>
              {shown}
            </option>
          ))}
        </select>
      )}
    </Entry>
  );
}

const MOST_ROWS = 12;

function ListField({ field, text, problem, enter }: ValueFieldProps) {
  return (
    <Entry {...{ field, problem }} hint="One on each line.">
      {(described) => (
        <textarea
          {...described}
          value={text}
          rows={Math.min(MOST_ROWS, text.split('\n').length + 1)}
          spellcheck={false}
          onInput={(event) => enter(event.currentTarget.value)}
        />
      )}
    </Entry>
  );
}

function TextField({ field, text, problem, enter }: ValueFieldProps) {
  return (
    <Entry {...{ field, problem }}>
      {(described) => (
        <input
          {...described}
          type="text"
          inputMode={field.input === 'text' ? 'text' : 'decimal'}
          value={text}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => enter(event.currentTarget.value)}
        />
      )}
    </Entry>
  );
}

function YamlField({ field, text, problem, enter, schema }: ValueFieldProps) {
  const tree = useMemo(() => treeOfValues(schema, field.path), [schema, field]);
  const rows = Math.min(MOST_ROWS, Math.max(3, text.split('\n').length + 1));
  return (
    <div class="of-yaml">
      <YamlText
        label={`${labelOf(field)} (YAML)`}
        text={text}
        write={enter}
        problem={problem === '' ? undefined : { text: problem }}
        rows={rows}
        tree={tree}
      />
      {field.description === '' ? null : <p class="hint">{field.description}</p>}
    </div>
  );
}

/** One value, as its schema describes it. */
function ValueField(props: ValueFieldProps) {
  switch (props.field.input) {
    case 'boolean':
    case 'choice':
      return <ChoiceField {...props} />;
    case 'list':
      return <ListField {...props} />;
    case 'yaml':
      return <YamlField {...props} />;
    default:
      return <TextField {...props} />;
  }
}

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
