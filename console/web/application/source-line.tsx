import type { ComponentChildren, JSX } from 'preact';
import type { ReadApplication } from '#queries/answers/application.js';
import { Facts } from '../parts/lists.js';
import {
  isFailingSource,
  oldWords,
  type SourceRef,
  sourcesPath,
  sourceWords,
  type SourceWords,
  unreadWords,
  usedTemplatePage,
} from './model/application-source.js';
import { shortDigest } from '#lib/text/text.js';
import type { KnownSources } from '../editor/model/suggestions.js';
import { Link } from '../navigation/navigation.js';
import { State } from '../parts/state.js';
import { usePolled } from '../data/polled.js';

interface SourceLineProps {
  readonly source: SourceRef;
  /** Of the Application. */
  readonly namespace: string;
  readonly words: SourceWords;
}

/** The whole of it is there for who points at it. */
const revisionOf = (revision: string) => (revision === '' ? '' : <span title={revision}>{shortDigest(revision)}</span>);

function SourceLine({ source: { kind, namespace, name }, namespace: own, words }: SourceLineProps) {
  const { state, message, revision, url, note } = words;
  return (
    <section class={`source${message === '' ? '' : ' banner'}`} aria-label="Source">
      <p class="message">
        {state === '' ? null : <State state={state} />} <span class="of">{kind}</span>{' '}
        {namespace === own ? null : <span class="of">{namespace}/</span>}
        {name} <span class="hint">{note}</span>
      </p>
      {message === '' ? null : <p class="message">{message}</p>}
      <Facts facts={{ 'Revision of the source': revisionOf(revision), URL: url }} />
    </section>
  );
}

/** Each entry of manifests may have its own. */
const MOST_TEMPLATES = 5;

type TemplatesProps = Pick<ReadApplication, 'namespace' | 'templates'>;

function Template({ template, namespace: own }: { template: TemplatesProps['templates'][number]; namespace: string }) {
  const { kind, namespace, name, revision } = template;
  const page = usedTemplatePage(template);
  const names = (
    <>
      {namespace === own ? null : <span class="of">{namespace}/</span>}
      {name}
    </>
  );
  return (
    <p class="message">
      From the template <span class="of">{kind}</span> {page === undefined ? names : <Link to={page}>{names}</Link>}{' '}
      <span class="hint">{revision === undefined ? '' : `revision ${revision}`}</span>
    </p>
  );
}

function Templates({ templates, namespace }: TemplatesProps) {
  const more = templates.length - MOST_TEMPLATES;
  if (templates.length === 0) return null;
  return (
    <section class="source" aria-label="Templates">
      {templates.slice(0, MOST_TEMPLATES).map((template) => (
        <Template key={JSON.stringify(template)} {...{ template, namespace }} />
      ))}
      {more > 0 ? <p>and {more} more templates</p> : null}
    </section>
  );
}

interface WithSourceProps {
  readonly detail: Pick<ReadApplication, 'namespace' | 'source' | 'templates'>;
  /** `isFailing`: nothing else is to be read before it. */
  readonly children: (line: JSX.Element | null, isFailing: boolean) => ComponentChildren;
}

function wordsOf(known: SourceWords | undefined, problem: string | undefined, at: number): SourceWords {
  if (known === undefined) return unreadWords(problem);
  return problem === undefined ? known : oldWords(known, problem, new Date(at).toLocaleTimeString());
}

type WithReadProps = Omit<SourceLineProps, 'words'> & Pick<WithSourceProps, 'children'>;

function WithRead({ source, namespace, children }: WithReadProps) {
  // Nothing tells of a change of a source.
  const { value, problem, at } = usePolled<KnownSources>(sourcesPath(source.namespace));
  const known = value && sourceWords(source, value);
  const words = wordsOf(known, problem?.text, at);
  return <>{children(<SourceLine {...{ source, namespace, words }} />, isFailingSource(words))}</>;
}

/** What the chart or the files are from: a source, read with the rights of the user, and templates, which name theirs. */
export function WithSource({ detail: { source, namespace, templates }, children }: WithSourceProps) {
  const ofTemplates = <Templates {...{ templates, namespace }} />;
  if (source === undefined) return <>{children(ofTemplates, false)}</>;
  const withTemplates: WithSourceProps['children'] = (line, isFailing) =>
    children(
      <>
        {line}
        {ofTemplates}
      </>,
      isFailing,
    );
  return <WithRead key={source.namespace} {...{ source, namespace, children: withTemplates }} />;
}
