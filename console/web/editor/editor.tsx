import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isMap, type PlainMap } from '#lib/plain.js';
import type { ApplicationDetail } from '#queries/answers/application.js';
import type { RevisionAnswer, TemplateAnswer } from '#queries/answers/templates.js';
import { CommandList } from '../parts/command-list.js';
import { PLACES, textOfField } from './model/application-form.js';
import { textOf } from './model/application-text.js';
import { EDITOR_COMMANDS } from '../model/editor-commands.js';
import { applicationPath } from '../navigation/model/place.js';
import type { FieldProblem, Refused } from './model/refusal.js';
import { SchemaTree } from '../model/schema-spot.js';
import { takeoverOf } from './model/drafts.js';
import { usedTemplatePaths } from '../templates/model/template-query.js';
import { treeOfValues, withValuesSchema } from '../model/values-schema.js';
import { offsetAt, type Path, textsIn } from '../model/yaml-edit.js';
import { useNavigation } from '../navigation/navigation.js';
import { ProblemNotice } from '../parts/notice.js';
import { useSession } from '../session/session.js';
import { useGone } from '../change/use-action.js';
import { Conflict } from './conflict.js';
import { TEXTS } from './drafts.js';
import { Form } from './form.js';
import { ReviewView } from './review-view.js';
import type { Target } from './send.js';
import { type Editor as Edited, useEditor } from './use-editor.js';
import { useRead } from './use-read.js';
import { useReview, type UseReview } from './use-review.js';
import { YamlText } from './yaml-text.js';

/** The schemas by which texts of an Application are read; undefined until they are known. */
interface Schemas {
  readonly application: SchemaTree | undefined;
  /** The schema that the template has, if the user may read it. */
  readonly values: SchemaTree | undefined;
}

const APPLICATION = ['/api/v1/schemas/application'];

/** Help needs the schemas; without them, there is none, and all else goes on. */
function useSchemas(value: PlainMap): Schemas {
  const own = useRead(APPLICATION);
  const [namespace, template] = [PLACES.namespace, PLACES.template].map((place) => textOfField(value, place));
  const used = useRead(usedTemplatePaths({ namespace: namespace ?? '', template: template ?? '' }));
  return useMemo(() => {
    const { valuesSchema } = {
      valuesSchema: undefined,
      ...(used as TemplateAnswer | RevisionAnswer | undefined)?.spec,
    };
    return {
      application: isMap(own) ? new SchemaTree(withValuesSchema(own, valuesSchema)) : undefined,
      values: treeOfValues(valuesSchema, []),
    };
  }, [own, used]);
}

interface EditorProps {
  /** What is edited. */
  readonly id: string;
  readonly initial: string;
  /** The live object; absent for a new one. */
  readonly base?: ApplicationDetail;
  readonly namespaces: readonly string[];
  /** True: a form made it, and what it will do comes first. */
  readonly isCheckedAtOnce?: boolean;
  readonly saved?: () => void;
}

function RefusedNotice({ refused }: { refused: Refused }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [refused]);
  return (
    <section class="notice" role="alert" aria-labelledby="refused">
      <h2 id="refused" ref={heading} tabIndex={-1}>
        It was refused, and nothing was written
      </h2>
      {refused.fields.length === 0 ? <p class="message">{refused.text}</p> : null}
      <ul>
        {refused.fields.map(({ field, message }) => (
          <li key={`${field} ${message}`}>
            <code>{field}</code> {message}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Bar({ editor, isNew }: { editor: Edited; isNew: boolean }) {
  const { isFound, isDirty, undo, discard } = editor;
  return (
    <div class="buttons">
      <button type="button" class="small" disabled={undo === undefined} onClick={() => undo?.()}>
        Undo a change of the form
      </button>
      <button type="button" class="small" disabled={!isDirty} onClick={discard}>
        {isNew ? 'Start again' : 'Discard all changes'}
      </button>
      <span class="hint" role="status">
        {isFound ? 'These are the changes that you did not save.' : ''}
      </span>
    </div>
  );
}

interface SavingOptions {
  readonly id: string;
  readonly text: string;
  /** The object that is changed. */
  readonly live: ApplicationDetail | undefined;
  readonly saved: () => void;
}

function useSaving({ id, text, live, saved }: SavingOptions) {
  const { go } = useNavigation();
  const { user } = useSession();
  const isGone = useGone();
  const placeOf = (value: PlainMap): Target => {
    const [namespace, name] = [textOfField(value, PLACES.namespace), textOfField(value, PLACES.name)];
    return { namespace: live?.namespace ?? namespace, name: live?.name ?? name, base: live };
  };
  const review = useReview(placeOf);
  const save = async (): Promise<void> => {
    const { accepted } = review;
    if (accepted === undefined || !(await review.write())) return;
    // Who left meanwhile may have come back, and type.
    const kept = TEXTS.of(id, user);
    if (kept === undefined || kept.text === text) {
      TEXTS.drop(id, user);
      saved();
    }
    if (!isGone.current) go(applicationPath(placeOf(accepted.value)));
  };
  return { review, save };
}

/** What became of the last check. */
function Outcome({ review, live, text, take }: OutcomeProps) {
  const { refused, theirs, problem } = review;
  const takeover = useMemo(
    () => (theirs === undefined || live === undefined ? undefined : takeoverOf(text, live, theirs)),
    [theirs],
  );
  if (refused !== undefined) return <RefusedNotice refused={refused} />;
  if (problem !== undefined) return <ProblemNotice problem={problem} />;
  if (theirs === undefined || takeover === undefined) return null;
  const isAnother = theirs.uid !== live?.uid;
  const takeOver = (): void => {
    // What was typed since the conflict was found is kept, too; what is no YAML is said next to it.
    const now = live === undefined ? undefined : takeoverOf(text, live, theirs);
    if (now !== undefined) take(now.text, theirs);
  };
  return <Conflict {...{ theirs, takeover, isAnother }} take={takeOver} />;
}

interface OutcomeProps {
  readonly review: UseReview;
  readonly live: ApplicationDetail | undefined;
  readonly text: string;
  readonly take: (text: string, theirs: ApplicationDetail) => void;
}

interface BothProps {
  readonly editor: Edited;
  readonly problems: readonly FieldProblem[];
  readonly exists: boolean;
  readonly namespaces: readonly string[];
}

function Both({ editor, problems, exists, namespaces }: BothProps) {
  const { text, read, readNow, write, edit, choose, shown } = editor;
  const unreadable = 'problem' in read ? read.problem : undefined;
  const { application, values: valuesTree } = useSchemas(shown.value);
  const [cursor, setCursor] = useState<{ readonly offset: number } | undefined>();
  const newest = useRef(text);
  newest.current = text;
  // Not drawn again with each letter: a text is read once nobody types.
  const form = useMemo(() => {
    const { value } = shown;
    const textAt = textsIn(shown.text, value);
    const goTo = (path: Path): void => setCursor({ offset: offsetAt(newest.current, path) });
    const known = { exists, namespaces, tree: application, valuesTree };
    return <Form {...{ value, textAt, goTo, edit, choose, problems, ...known }} />;
  }, [shown, problems, exists, namespaces, application, valuesTree]);
  return (
    <div class="both">
      <fieldset class="form" disabled={unreadable !== undefined} aria-label="Form">
        {unreadable === undefined ? null : <p class="bad">The form waits until the YAML can be read.</p>}
        {form}
      </fieldset>
      <YamlText
        label="YAML"
        text={text}
        write={write}
        done={readNow}
        problem={unreadable}
        rows={36}
        tree={application}
        cursor={cursor}
      />
    </div>
  );
}

/** True if there are values that are no YAML: they are not taken over, and shown instead. */
function showsUnreadable(form: EventTarget | null): boolean {
  const found = form instanceof Element ? form.querySelector<HTMLElement>('textarea:invalid') : null;
  found?.closest('details')?.setAttribute('open', '');
  found?.focus();
  return found !== null;
}

const NOTHING = (): void => undefined;

/** An Application as a form and as YAML: both change one text, which is what is applied. */
export function Editor({ id, initial, base, namespaces, isCheckedAtOnce = false, saved = NOTHING }: EditorProps) {
  const [live, setLive] = useState(base);
  const editor = useEditor({ id, initial, base: live });
  const { text, read } = editor;
  const { review, save } = useSaving({ id, text, live, saved });
  const [planned, plan] = useState<readonly FieldProblem[]>([]);
  const isNew = base === undefined;
  const take = (next: string, theirs: ApplicationDetail): void => {
    editor.take(next, textOf(theirs));
    setLive(theirs);
    review.forget();
  };
  const check = (event: SubmitEvent): void => {
    event.preventDefault();
    if (showsUnreadable(event.currentTarget)) return;
    plan([]);
    // What is shown of a long text may be what it was a moment ago.
    const now = editor.readNow();
    if ('value' in now) void review.check(now.value);
  };
  useEffect(() => {
    if (isCheckedAtOnce && 'value' in read) void review.check(read.value);
  }, []);
  const back = (problems: readonly FieldProblem[]): void => {
    plan(problems);
    review.forget();
  };
  const { accepted } = review;
  if (accepted !== undefined) {
    return <ReviewView {...{ review, accepted, text, back }} save={() => void save()} />;
  }
  return (
    <>
      <form class="editor" onSubmit={check} noValidate>
        <Outcome {...{ review, live, text, take }} />
        <Bar editor={editor} isNew={isNew} />
        <Both {...{ editor, namespaces }} problems={review.refused?.fields ?? planned} exists={!isNew} />
        <p class="buttons">
          <button type="submit" class="main" disabled={'problem' in read || review.isBusy}>
            {review.isBusy ? 'Asking the API server …' : 'Check what this will do'}
          </button>
        </p>
      </form>
      <CommandList commands={EDITOR_COMMANDS} />
    </>
  );
}
