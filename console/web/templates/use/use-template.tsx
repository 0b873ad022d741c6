import type { FieldProblem } from '../../editor/model/refusal.js';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { PlainMap } from '#lib/plain.js';
import { listed } from '#lib/text/text.js';
import { printYaml } from '#lib/yaml/yaml.js';
import type { TemplateAnswer } from '#queries/answers/templates.js';
import { CommandList } from '../../parts/command-list.js';
import { ENTRIES, TEXTS } from '../../editor/drafts.js';
import { Editor } from '../../editor/editor.js';
import { Check, Field, Group } from '../../editor/field.js';
import { useNamespaces } from '../../editor/new-application.js';
import { templateUseCommands } from '../../parts/model/commands.js';
import {
  enteredValues,
  problemsByField,
  isTyped,
  NOTHING_TYPED,
  placeProblems,
  useBody,
  type UsePlace,
} from '../model/use-form.js';
import { schemaForm } from '../model/schema-form.js';
import { mergedTexts } from '../../editor/model/drafts.js';
import { pathText } from '../../editor/model/three-way.js';
import { ProblemNotice } from '../../parts/notice.js';
import { useSession } from '../../session/session.js';
import { Shown, usePolled } from '../../data/polled.js';
import { useAction, useGone } from '../../change/use-action.js';
import { ValuesFields } from './values-fields.js';

interface Used {
  readonly application: PlainMap;
  readonly problems: readonly FieldProblem[];
}

interface PlaceFieldsProps {
  readonly place: UsePlace;
  readonly revision: number;
  readonly namespaces: readonly string[];
  readonly problems: readonly FieldProblem[];
  readonly change: (change: Partial<UsePlace>) => void;
}

function PlaceFields({ place, revision, namespaces, problems, change }: PlaceFieldsProps) {
  const problemOf = (field: string): string | undefined => problems.find((each) => each.field === field)?.message;
  return (
    <Group title="Application">
      <Field
        label="Namespace"
        value={place.namespace}
        suggestions={namespaces}
        problem={problemOf('namespace')}
        commit={(namespace) => change({ namespace })}
      />
      <Field label="Name" value={place.name} problem={problemOf('name')} commit={(name) => change({ name })} />
      <Field
        label="Target namespace"
        value={place.targetNamespace}
        help="Where it is deployed. Empty: the namespace of the Application."
        problem={problemOf('targetNamespace')}
        commit={(targetNamespace) => change({ targetNamespace })}
      />
      {revision === 0 ? null : (
        <Check
          label={`Stay at revision ${revision}, whatever becomes of the template`}
          checked={place.isPinned}
          check={(isPinned) => change({ isPinned })}
        />
      )}
    </Group>
  );
}

interface Problems {
  readonly place: readonly FieldProblem[];
  readonly values: readonly FieldProblem[];
}

const NONE: Problems = { place: [], values: [] };

function areSome({ place, values }: Problems): boolean {
  return place.length + values.length > 0;
}

/** The one problem that is first on the page is where the user goes on. */
function useFirstProblem(problems: Problems) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (areSome(problems)) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problems]);
  return form;
}

interface UseFormProps {
  readonly template: TemplateAnswer;
  readonly path: string;
}

const MOST_NAMED = 10;

/** Where the changes are kept of an Application that was made. */
function draftsOf(path: string, made = ''): string {
  return `use ${path} ${made}`;
}

/**
 * What was changed in the Application that was made before is changed in the new one, too. Says what is not: what was
 * changed in the form as well.
 */
function carryOver(
  path: string,
  user: string,
  { before, made }: { readonly before: string | undefined; readonly made: string },
): string {
  const found = before === undefined || before === made ? undefined : TEXTS.of(draftsOf(path, before), user);
  if (found === undefined) return '';
  const merged = mergedTexts(made, found.initial, found.text);
  if (merged === undefined) return 'What you typed into the YAML before cannot be read, and is not in this one.';
  TEXTS.drop(draftsOf(path, before), user);
  TEXTS.keep(draftsOf(path, made), user, { ...found, initial: made, text: merged.text });
  const both = listed(merged.both.map(pathText), MOST_NAMED);
  return both === '' ? '' : `You changed this in the form and in the YAML; the form wins: ${both}.`;
}

/** Who leaves the form finds it as it was. */
function useEntries(path: string) {
  const { user } = useSession();
  const [entries, set] = useState(() => ENTRIES.of(path, user) ?? NOTHING_TYPED);
  const [note, setNote] = useState('');
  useEffect(() => {
    if (isTyped(entries)) ENTRIES.keep(path, user, entries);
    else ENTRIES.drop(path, user);
  }, [entries]);
  const change = (more: Partial<UsePlace>): void => set((now) => ({ ...now, place: { ...now.place, ...more } }));
  const type = (key: string, text: string): void =>
    set((now) => ({ ...now, entered: Object.fromEntries([...Object.entries(now.entered), [key, text]]) }));
  const make = (made: string): void => {
    setNote(carryOver(path, user, { before: entries.made, made }));
    set((now) => ({ ...now, made, isMadeShown: true }));
  };
  const goBack = (): void => set((now) => ({ ...now, isMadeShown: false }));
  return { ...entries, note, change, type, make, goBack };
}

function useForm({ template, path }: UseFormProps) {
  const { kind, revision, spec, resourceVersion } = template;
  const { place, entered, made, isMadeShown, note, change, type, make, goBack } = useEntries(path);
  const [problems, complain] = useState(NONE);
  const action = useAction<Used>();
  const isGone = useGone();
  const { form, schema } = useMemo(() => {
    const { valuesSchema, values } = { valuesSchema: undefined, values: undefined, ...spec };
    return { form: schemaForm(valuesSchema, values), schema: valuesSchema };
  }, [resourceVersion]);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const typed = enteredValues(form, entered);
    const wrong = { place: placeProblems(place), values: typed.problems };
    complain(wrong);
    if (areSome(wrong)) return;
    const body = useBody(place, { revision, values: kind === 'HelmTemplate' ? typed.values : {} });
    const used = await action.run(`${path}/use`, { method: 'POST', body, exact: true });
    // Who left, and came back, may have typed since.
    if (used === undefined || isGone.current) return;
    complain({ place: [], values: used.problems });
    if (used.problems.length === 0) make(printYaml(used.application));
  };
  const shown = isMadeShown ? made : undefined;
  return { form, schema, place, change, entered, type, problems, made: shown, note, goBack, submit, action };
}

function UseForm(props: UseFormProps) {
  const { kind, revision } = props.template;
  const { form, schema, place, change, entered, type, problems, made, note, goBack, submit, action } = useForm(props);
  const namespaces = useNamespaces();
  const element = useFirstProblem(problems);
  const byField = useMemo(() => problemsByField(form, problems.values), [form, problems]);
  const { user } = useSession();
  // It may have been made, and changed, more than once.
  const saved = (): void => {
    ENTRIES.drop(props.path, user);
    TEXTS.dropAll(draftsOf(props.path), user);
  };
  if (made !== undefined) {
    return (
      <>
        <p>
          <button type="button" class="small" onClick={goBack}>
            Back to the values
          </button>
        </p>
        {note === '' ? null : (
          <p class="banner" role="status">
            {note}
          </p>
        )}
        <Editor id={draftsOf(props.path, made)} initial={made} {...{ namespaces, saved }} isCheckedAtOnce />
      </>
    );
  }
  return (
    <>
      <form ref={element} class="editor use" onSubmit={(event) => void submit(event)} noValidate>
        {action.problem === undefined ? null : <ProblemNotice problem={action.problem} />}
        <PlaceFields {...{ place, revision, namespaces, change }} problems={problems.place} />
        {kind === 'HelmTemplate' ? (
          <ValuesFields {...{ form, schema, entered }} problems={byField} enter={type} />
        ) : null}
        <p class="buttons">
          <button type="submit" class="main" disabled={action.isBusy}>
            {action.isBusy ? 'Asking the server …' : 'Check what this will do'}
          </button>
        </p>
      </form>
      <CommandList commands={templateUseCommands(props.template)} />
    </>
  );
}

/** The form of an Application that uses a template. What is typed stays while the template changes. */
export function UseTemplate({ path }: { path: string }) {
  const polled = usePolled<TemplateAnswer>(path);
  return (
    <Shown polled={polled} what="the template">
      {(template) => <UseForm template={template} path={path} />}
    </Shown>
  );
}
