import type { ComponentChildren, JSX } from 'preact';
import type { ReadApplication } from '#console/server/model/application-detail.js';
import { Facts } from '../facts.js';
import {
  isFailingSource,
  sourcesPath,
  sourceWords,
  unreadWords,
  type SourceRef,
  type SourceWords,
} from '../model/application-source.js';
import { shortDigest } from '../model/short-digest.js';
import type { KnownSources } from '../model/source-choice.js';
import { State } from '../state.js';
import { usePolled } from '../use-polled.js';

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

interface WithSourceProps {
  readonly detail: Pick<ReadApplication, 'namespace' | 'source'>;
  /** `isFailing`: nothing else is to be read before it. */
  readonly children: (line: JSX.Element | null, isFailing: boolean) => ComponentChildren;
}

type WithReadProps = Omit<SourceLineProps, 'words'> & Pick<WithSourceProps, 'children'>;

function WithRead({ source, namespace, children }: WithReadProps) {
  const { value, problem } = usePolled<KnownSources>(sourcesPath(source.namespace), () => true);
  const words = value === undefined ? unreadWords(problem?.text) : sourceWords(source, value);
  return <>{children(<SourceLine {...{ source, namespace, words }} />, isFailingSource(words))}</>;
}

/** What the chart or the files are from, read with the rights of the user; with a template, it is that of the template. */
export function WithSource({ detail: { source, namespace }, children }: WithSourceProps) {
  if (source === undefined) return <>{children(null, false)}</>;
  return <WithRead key={source.namespace} {...{ source, namespace, children }} />;
}
